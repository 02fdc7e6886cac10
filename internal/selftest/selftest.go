// Package selftest keeps what came of testing an implementation on the machine that
// it runs on.
package selftest

import (
	"errors"
	"fmt"
	"sync"
)

// ErrFailed is wrapped by the error of an implementation that computes wrong results
// on this machine.
var ErrFailed = errors.New("self-test failed")

// Verdict is the outcome of the test of one implementation. The zero value has not
// been tested.
type Verdict struct {
	once sync.Once
	err  error
}

// Get returns the error of the test, which it runs if nobody has yet: fault names
// what the tier of that name computes wrong, "" for nothing. The error begins with
// what the tier is of.
func (v *Verdict) Get(of, tier string, fault func() string) error {
	v.once.Do(func() {
		fail := func(what string) error {
			return fmt.Errorf("%s: %w: tier %s computes %s wrong", of, ErrFailed, tier, what)
		}
		v.err = fail("something") // which stays if the implementation panics
		if what := fault(); what != "" {
			v.err = fail(what)
		} else {
			v.err = nil
		}
	})
	return v.err
}
