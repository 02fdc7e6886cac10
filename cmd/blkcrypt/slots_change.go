package main

import (
	"fmt"
	"math/bits"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

func (t *tool) keyAdd(c *cli.Context) error {
	fresh, logN, err := newSecret(c)
	if err != nil {
		return err
	}
	return t.changeSlots(c, fresh, func(o *opened) error {
		s, err := t.readNewSecret(fresh, o)
		if err != nil {
			return err
		}
		defer s.Wipe()
		if o.opensWith(s) {
			return refusef(o.name, "", "the new secret is one that opens it already")
		}
		if err := o.editor.Add(s, logN); err != nil {
			return err
		}
		t.warnCost(o)
		return nil
	})
}

func (t *tool) keyReplace(c *cli.Context) error {
	fresh, logN, err := newSecret(c)
	if err != nil {
		return err
	}
	slot, err := slotNumber(c)
	if err != nil {
		return err
	}
	return t.changeSlots(c, fresh, func(o *opened) error {
		n, err := o.slot(slot)
		if err != nil {
			return err
		}
		s, err := t.readNewSecret(fresh, o)
		if err != nil {
			return err
		}
		defer s.Wipe()
		if o.opensWith(s) {
			t.say(show(o.name) + ": warning: the new secret is one that opened it already")
		}
		if err := o.editor.Replace(n, s, logN); err != nil {
			return err
		}
		t.warnCost(o)
		return nil
	})
}

func (t *tool) keyRemove(c *cli.Context) error {
	if !c.IsSet("slot") {
		return usagef("key remove: --slot says which; key list shows them")
	}
	slot, err := slotNumber(c)
	if err != nil {
		return err
	}
	return t.changeSlots(c, nil, func(o *opened) error {
		n, err := o.slot(slot)
		if err != nil {
			return err
		}
		if err := o.editor.Remove(n); err != nil {
			return &failure{code: exitRefused, file: show(o.name), err: err}
		}
		return nil
	})
}

// newSecret reads the flags about a new secret.
func newSecret(c *cli.Context) (fresh *secretSources, logN int, err error) {
	if fresh, err = newSources(c); err != nil {
		return nil, 0, err
	}
	if c.IsSet("scrypt-logn") {
		if !fresh.hasPassphrase() {
			return nil, 0, usagef("--scrypt-logn does nothing for a key file")
		}
		logN, err = parseRange("--scrypt-logn", c.String("scrypt-logn"), 10, 22)
	}
	return fresh, logN, err
}

// slotNumber reads --slot, whose numbers begin with 1. It is 0 where not given.
func slotNumber(c *cli.Context) (int, error) {
	if !c.IsSet("slot") {
		return 0, nil
	}
	return parseRange("--slot", c.String("slot"), 1, 16)
}

func (t *tool) readNewSecret(fresh *secretSources, o *opened) (*format.Secret, error) {
	secrets, err := t.readSecrets(fresh, show(o.name)+", new", true)
	if err != nil {
		return nil, err
	}
	return secrets[0], nil
}

// warnCost tells the user of slots that dec will not try a passphrase on by
// itself.
func (t *tool) warnCost(o *opened) {
	if n := neededLogN(o.editor.Slots()); n > 0 {
		t.say(fmt.Sprintf("%s: warning: dec will need --scrypt-max-logn %d", show(o.name), n))
	}
}

// neededLogN returns what --scrypt-max-logn must allow for a passphrase to be
// tried in all slots, 0 where the default is enough.
func neededLogN(slots []format.SlotInfo) int {
	var sum uint64
	most := 0
	for _, s := range slots {
		if s.LogN > 0 {
			sum += 1 << s.LogN
			most = max(most, s.LogN)
		}
	}
	if sum <= format.DefaultMaxWork && most <= 20 {
		return 0
	}
	return bits.Len64(sum - 1)
}

func (t *tool) keyRecover(c *cli.Context) error {
	o, ring, err := t.openToChange(c, nil, true)
	if err != nil {
		return err
	}
	defer o.f.Close()
	defer ring.Wipe()
	var done format.Recovery
	err = t.guard.undisturbed(func() (err error) {
		done, err = format.RecoverHeader(o.path, ring)
		return err
	})
	if err != nil {
		return failed(o.name, err)
	}
	switch done {
	case format.RewriteFinished:
		t.say(show(o.name) + ": the change of keys is finished")
	case format.RewriteUndone:
		t.say(show(o.name) + ": the change of keys had not begun; the file is as it was before")
	default:
		t.say(show(o.name) + ": there is nothing to recover")
	}
	return nil
}
