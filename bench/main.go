//go:build unix

// Command bench measures whole files side by side with cp, age and openssl, and
// prints Markdown tables.
//
//	go run ./bench -dir /dev/shm -size 1GiB
//
// It builds blkcrypt from this tree, makes its data in a folder of its own below
// -dir, runs every contender in turn, as often as -runs says, and shows the median
// of each. What has been decrypted is compared with what was encrypted. Peers that
// are not installed are left out; which versions were met is printed.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

type bench struct {
	dir    string // of the data, removed at the end
	size   int64  // of the large file
	files  int    // small ones
	runs   int
	suites []string
	tool   string // blkcrypt

	inMemory bool // there is no disk to wait for
}

func main() {
	dir := flag.String("dir", os.TempDir(), "measure in a new folder in `DIR`, whose file system counts")
	size := flag.String("size", "1GiB", "`SIZE` of the large file")
	files := flag.Int("files", 10000, "`N` small files, 0 for none")
	runs := flag.Int("runs", 5, "measure everything `N` times")
	suites := flag.String("suites", "", "only suites whose name contains `TEXT`")
	tool := flag.String("blkcrypt", "", "measure this `FILE` instead of building the tree")
	flag.Parse()
	if err := run(*dir, *size, *files, *runs, *suites, *tool); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(dir, size string, files, runs int, only, tool string) (err error) {
	b := &bench{files: files, runs: runs, tool: tool}
	if b.size, err = parseSize(size); err != nil {
		return err
	}
	if runs < 1 || files < 0 {
		return fmt.Errorf("nothing to measure in %d runs of %d files", runs, files)
	}
	if b.dir, err = os.MkdirTemp(dir, "blkcrypt-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	go func() {
		<-stop
		os.RemoveAll(b.dir)
		os.Exit(1)
	}()
	system, err := command("stat", "-f", "-c", "%T", b.dir).output()
	b.inMemory = err == nil && strings.TrimSpace(system) == "tmpfs"
	if b.tool == "" {
		b.tool = b.path("blkcrypt")
		if err := command("go", "build", "-o", b.tool, "./cmd/blkcrypt").run(); err != nil {
			return err
		}
	} else if b.tool, err = filepath.Abs(b.tool); err != nil {
		return err
	}
	names, err := command(b.tool, "ciphers").output()
	if err != nil {
		return err
	}
	for _, word := range strings.Fields(names) {
		if strings.Count(word, "-") > 0 && strings.Contains(word, only) && isSuite(word) {
			b.suites = append(b.suites, word)
		}
	}
	if len(b.suites) == 0 {
		return fmt.Errorf("no suite contains %q", only)
	}
	if err := b.prepare(); err != nil {
		return err
	}
	b.header()
	for _, f := range []func() error{b.whole, b.scaling, b.pipes, b.memory, b.small, b.start} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

func isSuite(word string) bool {
	for _, mode := range []string{"gcm", "ocb", "eax", "ccm"} {
		if strings.HasSuffix(word, "-"+mode) {
			return true
		}
	}
	return false
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// prepare makes the key, the large file and the small ones.
func (b *bench) prepare() error {
	if err := command(b.tool, "key", "new", "-o", b.path("key")).run(); err != nil {
		return err
	}
	if err := os.WriteFile(b.path("pass"), []byte("correct horse battery staple\n"), 0o600); err != nil {
		return err
	}
	random := rand.NewChaCha8([32]byte{})
	f, err := os.Create(b.path("plain"))
	if err != nil {
		return err
	}
	defer f.Close()
	buf := make([]byte, 1<<20)
	for left := b.size; left > 0; left -= int64(len(buf)) {
		random.Read(buf)
		if _, err := f.Write(buf[:min(left, int64(len(buf)))]); err != nil {
			return err
		}
	}
	if err := os.Mkdir(b.path("many"), 0o700); err != nil {
		return err
	}
	for i := range b.files {
		random.Read(buf[:4096])
		if err := os.WriteFile(filepath.Join(b.path("many"), fmt.Sprintf("%06d", i)), buf[:4096], 0o600); err != nil {
			return err
		}
	}
	return f.Sync()
}

// parseSize reads a number of bytes with K, M or G behind it.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRight(s, "KMGiB")
	shift, ok := map[string]int{"": 0, "K": 10, "M": 20, "G": 30}[strings.TrimRight(s[len(digits):], "iB")]
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil || !ok || n < 1 {
		return 0, fmt.Errorf("%q is not a size such as 64MiB", s)
	}
	return n << shift, nil
}

// header tells where and with what was measured.
func (b *bench) header() {
	line := func(name string, args ...string) string {
		text, err := command(name, args...).output()
		if err != nil {
			return "no " + name
		}
		text, _, _ = strings.Cut(text, "\n")
		return text
	}
	model := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for l := range strings.Lines(string(info)) {
			if name, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load := "unknown"
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ = strings.Cut(string(text), " ")
	}
	fmt.Printf("%s, %s processors, %s, %s; %s on %s, load %s before; medians of %d runs, one of each in turn.\n",
		line("date", "-u", "+%Y-%m-%d"), line("getconf", "_NPROCESSORS_ONLN"), model, line("uname", "-sr"),
		filepath.Dir(b.dir), line("stat", "-f", "-c", "%T", b.dir), load, b.runs)
	versions := []string{line(b.tool, "--version"), line("go", "version"), line("cp", "--version")}
	for _, peer := range [][]string{{"openssl", "version"}, {"age", "--version"}} {
		if _, err := exec.LookPath(peer[0]); err == nil {
			text := line(peer[0], peer[1:]...)
			if !strings.Contains(strings.ToLower(text), peer[0]) {
				text = peer[0] + " " + text
			}
			versions = append(versions, text)
		}
	}
	fmt.Println(strings.Join(versions, "; ") + ".")
}
