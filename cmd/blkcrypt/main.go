// Command blkcrypt encrypts and decrypts files with AES, Camellia or SM4 under
// GCM, OCB, EAX or CCM.
//
// Standard output carries payload only; everything said to the user goes to
// standard error, one line a failure, and questions go to the terminal itself.
// Messages are lower case without a full stop and name the file, the reason and
// the flag that helps. The exit codes are in exit.go.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"
)

// tool is what a run of the command shares: its standard streams and what a
// signal must undo.
type tool struct {
	stdin, stdout, stderr *os.File
	guard                 guard
	meter                 meter
	quiet                 bool        // warn of nothing
	umask                 fs.FileMode // of the caller; while running, files are made private
}

func main() {
	t := &tool{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, umask: privateUmask()}
	t.guard.watch(t.stderr)
	t.tellOnSignal()
	code := t.report(t.run(os.Args[1:]))
	t.guard.finish() // a signal that is being served decides the exit code
	os.Exit(code)
}

func (t *tool) run(args []string) error {
	app := t.app()
	args, err := arrange(app, args)
	if err != nil {
		return err
	}
	text := &textWriter{f: t.stdout}
	app.Writer = text
	if err := app.Run(append([]string{app.Name}, args...)); err != nil {
		return err
	}
	return failed("standard output", text.err)
}

// textWriter keeps the first error, which the library drops when it prints
// help.
type textWriter struct {
	f   *os.File
	err error
}

func (w *textWriter) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

func (t *tool) app() *cli.App {
	app := &cli.App{
		Name:      "blkcrypt",
		Usage:     "encrypt and decrypt files with AES, Camellia or SM4",
		UsageText: "blkcrypt COMMAND [flags] [FILE...]\nblkcrypt COMMAND --help",
		ErrWriter: t.stderr,
		Flags: []cli.Flag{&cli.BoolFlag{
			Name: "version", Usage: "print the version", DisableDefaultText: true,
		}},
		Action:          t.version,
		Commands:        []*cli.Command{t.encCommand(), t.decCommand(), t.verifyCommand(), t.infoCommand(), t.keyCommand(), t.ciphersCommand(), t.speedCommand(), t.completionCommand()},
		HideHelpCommand: true,
		HideVersion:     true,
		// A key file's name may hold a comma.
		DisableSliceFlagSeparator: true,
		// Errors are reported in one place, and only there does the process end.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError,
	}
	prepare(app.Commands)
	return app
}

// prepare takes from every command the defaults of the library that get in the
// way: a "help" subcommand would shadow a file of that name.
func prepare(commands []*cli.Command) {
	for _, c := range commands {
		c.HideHelpCommand = true
		c.OnUsageError = usageError
		prepare(c.Subcommands)
	}
}

func usageError(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) }

// version is the action of the bare command; arrange lets it run for --version
// only.
func (t *tool) version(c *cli.Context) error {
	fmt.Fprintln(c.App.Writer, "blkcrypt", buildVersion())
	return nil
}

func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}
