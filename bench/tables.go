//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// contender is a program that encrypts and decrypts a file.
type contender struct {
	name             string
	encrypt, decrypt pipeline // plain to sealed, sealed to opened
}

func (b *bench) contenders() (list []contender, err error) {
	plain, sealed, opened := b.path("plain"), b.path("sealed"), b.path("opened")
	if _, err := exec.LookPath("age"); err == nil {
		if err := command("age-keygen", "-o", b.path("age.key")).run(); err != nil {
			return nil, err
		}
		to, err := command("age-keygen", "-y", b.path("age.key")).output()
		if err != nil {
			return nil, err
		}
		list = append(list, contender{"age",
			command("age", "-r", strings.TrimSpace(to), "-o", sealed, plain),
			command("age", "-d", "-i", b.path("age.key"), "-o", opened, sealed)})
	}
	for _, c := range []struct {
		name string
		key  int
	}{{"aes-256-ctr", 32}, {"camellia-256-ctr", 32}, {"sm4-ctr", 16}} {
		args := []string{"enc", "-" + c.name, "-K", strings.Repeat("5a", c.key), "-iv", strings.Repeat("00", 16)}
		if command("openssl", append(args, "-in", b.path("key"))...).run() != nil {
			continue // not installed, or without this cipher
		}
		list = append(list, contender{"openssl " + c.name,
			command("openssl", append(args, "-in", plain, "-out", sealed)...),
			command("openssl", append(args, "-d", "-in", sealed, "-out", opened)...)})
	}
	for _, s := range b.suites {
		list = append(list, contender{s,
			command(b.tool, "enc", "-c", s, "-k", b.path("key"), "-o", sealed, plain),
			command(b.tool, "dec", "-k", b.path("key"), "-o", opened, sealed)})
	}
	return list, nil
}

func (b *bench) table(title string, head ...string) {
	fmt.Printf("\n**%s**\n\n| %s |\n| --- |%s\n", title, strings.Join(head, " | "), strings.Repeat(" ---: |", len(head)-1))
}

// copying is cp, which is made to wait for the disk, as blkcrypt does, where there
// is one.
func (b *bench) copying(name, from, to string, flags ...string) *job {
	j := &job{name: name, makes: []string{to}, p: command("cp", append(flags, from, to)...)}
	if !b.inMemory {
		j.name += ", sync"
		j.after = []pipeline{command("sync", "-f", to)}
	}
	return j
}

// whole compares files.
func (b *bench) whole() error {
	list, err := b.contenders()
	if err != nil {
		return err
	}
	sealed, opened := b.path("sealed"), b.path("opened")
	copied := b.copying("cp", b.path("plain"), opened)
	jobs := []*job{copied}
	for _, c := range list {
		jobs = append(jobs, &job{name: c.name, makes: []string{sealed}, p: c.encrypt}, &job{makes: []string{opened}, p: c.decrypt})
	}
	if err := b.measure(jobs); err != nil {
		return err
	}
	// Once more for each suite, to see that the contents came back.
	for _, c := range list {
		if err := os.RemoveAll(sealed); err != nil {
			return err
		}
		if err := os.RemoveAll(opened); err != nil {
			return err
		}
		for _, p := range []pipeline{c.encrypt, c.decrypt, command("cmp", b.path("plain"), opened)} {
			if err := p.run(); err != nil {
				return err
			}
		}
	}
	base := copied.median()
	b.table(fmt.Sprintf("A file of %d MiB, seconds", b.size>>20), "", "encrypt", "× cp", "decrypt", "× cp")
	fmt.Printf("| %s | %.3f | 1 | | |\n", copied.name, base)
	for i := 1; i < len(jobs); i += 2 {
		enc, dec := jobs[i].median(), jobs[i+1].median()
		fmt.Printf("| %s | %.3f | %.2f | %.3f | %.2f |\n", jobs[i].name, enc, enc/base, dec, dec/base)
	}
	return nil
}

// scaling compares one job with as many as there are processors.
func (b *bench) scaling() error {
	var jobs []*job
	for _, s := range b.suites {
		if strings.HasSuffix(s, "-gcm") || strings.HasPrefix(s, "aes-") || strings.Contains(s, "-192-") {
			continue // the copying counts for more, or another stands for it
		}
		for _, j := range [][]string{{"-j", "1"}, nil} {
			args := append([]string{"enc", "-c", s, "-k", b.path("key"), "-o", b.path("sealed")}, j...)
			jobs = append(jobs, &job{name: s, makes: []string{b.path("sealed")}, p: command(b.tool, append(args, b.path("plain"))...)})
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	if err := b.measure(jobs); err != nil {
		return err
	}
	b.table("The same with one job and with all processors, seconds", "encrypt", "-j 1", "all", "speed-up")
	for i := 0; i < len(jobs); i += 2 {
		one, all := jobs[i].median(), jobs[i+1].median()
		fmt.Printf("| %s | %.3f | %.3f | %.2f |\n", jobs[i].name, one, all, one/all)
	}
	return nil
}

// pipes compares streams.
func (b *bench) pipes() error {
	sealed := b.path("sealed")
	os.Remove(sealed)
	if err := command(b.tool, "enc", "-k", b.path("key"), "-o", sealed, b.path("plain")).run(); err != nil {
		return err
	}
	cat := command("cat", b.path("plain"))
	jobs := []*job{
		{name: "`cat FILE \\| cat`", p: cat.to("cat")},
		{name: "`cat FILE \\| blkcrypt enc`", p: cat.to(b.tool, "enc", "-k", b.path("key"))},
		{name: "`cat FILE \\| blkcrypt dec`", p: command("cat", sealed).to(b.tool, "dec", "-k", b.path("key"))},
		{name: "`cat FILE \\| cat \\| cat`", p: cat.to("cat").to("cat")},
		{name: "`cat FILE \\| blkcrypt enc \\| cat`", p: cat.to(b.tool, "enc", "-k", b.path("key")).to("cat")},
		{name: "`cat FILE \\| blkcrypt dec \\| cat`", p: command("cat", sealed).to(b.tool, "dec", "-k", b.path("key")).to("cat")},
	}
	if err := b.measure(jobs); err != nil {
		return err
	}
	b.table("Through pipes, aes-256-gcm, output to `/dev/null`, seconds", "", "time", "× cat")
	for i, j := range jobs {
		fmt.Printf("| %s | %.3f | %.2f |\n", j.name, j.median(), j.median()/jobs[i/3*3].median())
	}
	return nil
}

// memory shows the peak of memory for what could make it grow.
func (b *bench) memory() error {
	b.table("Peak of memory with a key file, MiB", "", "encrypt", "decrypt")
	plain, sealed, opened := b.path("plain"), b.path("sealed"), b.path("opened")
	for _, flags := range []string{"-c aes-256-gcm", "-c sm4-ccm", "-c aes-128-eax --chunk-size 8MiB -j 16", "-c camellia-128-ccm --chunk-size 4KiB -j 64"} {
		args := strings.Fields(flags)
		enc := append(append([]string{"enc", "-f", "-k", b.path("key"), "-o", sealed}, args...), plain)
		dec := []string{"dec", "-f", "-k", b.path("key"), "-o", opened, sealed}
		if i := len(args) - 2; args[i] == "-j" {
			dec = append(dec, args[i:]...)
		}
		stream := append([]string{"enc", "-k", b.path("key")}, args...)
		for _, x := range []struct {
			name     string
			enc, dec pipeline
		}{
			{"", command(b.tool, enc...), command(b.tool, dec...)},
			{", pipe", command("cat", plain).to(b.tool, stream...), command("cat", sealed).to(b.tool, "dec", "-k", b.path("key"))},
		} {
			encPeak, err := x.enc.finish(nil)
			if err != nil {
				return err
			}
			decPeak, err := x.dec.finish(nil)
			if err != nil {
				return err
			}
			fmt.Printf("| `%s`%s | %.1f | %.1f |\n", flags, x.name, mib(encPeak), mib(decPeak))
		}
	}
	return nil
}

// mib is for what getrusage says, which is in KiB, and in bytes on macOS.
func mib(n int64) float64 {
	if runtime.GOOS == "darwin" {
		n /= 1024
	}
	return float64(n) / 1024
}

// small compares many files of 4 KiB, in one call.
func (b *bench) small() error {
	if b.files == 0 {
		return nil
	}
	many, sealed, opened, copied := b.path("many"), b.path("sealed.d"), b.path("opened.d"), b.path("copied.d")
	call := func(verb, from, to string, secret ...string) pipeline {
		return command(b.tool, append([]string{verb, "-q", "-r", "--output-dir", to, from}, secret...)...)
	}
	sealedMany := filepath.Join(sealed, "many")
	jobs := []*job{
		b.copying("cp -r", many, copied, "-r"),
		{name: "enc, key file", makes: []string{sealed}, p: call("enc", many, sealed, "-k", b.path("key"))},
		{name: "dec, key file", makes: []string{opened}, p: call("dec", sealedMany, opened, "-k", b.path("key"))},
		{name: "enc, passphrase", makes: []string{sealed}, p: call("enc", many, sealed, "--passphrase-file", b.path("pass"))},
		{name: "dec, passphrase", makes: []string{opened}, p: call("dec", sealedMany, opened, "--passphrase-file", b.path("pass"))},
	}
	if err := b.measure(jobs); err != nil {
		return err
	}
	if err := command("diff", "-r", many, filepath.Join(opened, "many")).run(); err != nil {
		return err
	}
	b.table(fmt.Sprintf("%d files of 4 KiB in one call", b.files), "", "ms a file", "× cp -r")
	for _, j := range jobs {
		fmt.Printf("| %s | %.4f | %.2f |\n", j.name, 1000*j.median()/float64(b.files), j.median()/jobs[0].median())
	}
	return nil
}

// start compares what it takes to start with the smallest program in Go.
func (b *bench) start() error {
	source, hello := b.path("hello.go"), b.path("hello")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"os\"\n\nfunc main() { os.Stdout.WriteString(\"hello\\n\") }\n"), 0o600); err != nil {
		return err
	}
	if err := command("go", "build", "-o", hello, source).run(); err != nil {
		return err
	}
	jobs := []*job{{name: "the smallest program in Go", p: command(hello)}, {name: "`blkcrypt --version`", p: command(b.tool, "--version")}}
	for range 20 {
		if err := b.measure(jobs); err != nil {
			return err
		}
	}
	b.table("Start-up", "", "ms")
	for _, j := range jobs {
		fmt.Printf("| %s | %.1f |\n", j.name, 1000*j.median())
	}
	return nil
}
