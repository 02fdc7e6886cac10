package main

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// The flag package below urfave/cli stops at the first operand, takes -force
// for --force, splits no -rf unless asked, and answers a mistake with the whole
// help text. arrange reads the command line the way users of POSIX tools expect
// and passes on one form only: commands, flags as --name=value, "--", operands.
func arrange(app *cli.App, args []string) ([]string, error) {
	line := &commandLine{app: app, commands: app.Commands}
	if len(args) > 0 && args[0] == "help" {
		args = append(args[1:len(args):len(args)], "--help")
	}
	for line.command == nil || len(line.commands) > 0 {
		if len(args) == 0 {
			return nil, usagef("%sno command given; the commands are %s", line.prefix(), strings.Join(line.known(), ", "))
		}
		switch {
		case args[0] == "-h" || args[0] == "--help":
			return append(line.path, "--help"), nil
		case args[0] == "--version" && line.command == nil:
			return []string{"--version"}, nil
		}
		if err := line.descend(args[0]); err != nil {
			return nil, err
		}
		args = args[1:]
	}
	return line.parse(args)
}

type commandLine struct {
	app      *cli.App
	path     []string
	command  *cli.Command // found so far
	commands []*cli.Command
	flags    []string // found so far, as --name=value
	seen     map[string]string
	operands []string
}

// prefix names the command in a message.
func (l *commandLine) prefix() string {
	if len(l.path) == 0 {
		return ""
	}
	return strings.Join(l.path, " ") + ": "
}

func (l *commandLine) known() (names []string) {
	for _, c := range l.commands {
		names = append(names, c.Name)
	}
	return names
}

func (l *commandLine) descend(name string) error {
	if len(name) > 1 && name[0] == '-' {
		if flag, _, _ := strings.Cut(name, "="); len(l.owners(flag)) == 0 {
			return usagef("%sno flag %q; %s", l.prefix(), flag, nearOr(flag, []string{"--help", "--version"}, "the flags before a command are"))
		}
		return usagef("%sflag %s stands before the command; flags come after it", l.prefix(), show(name))
	}
	for _, c := range l.commands {
		if c.Name == name {
			l.command, l.commands, l.path = c, c.Subcommands, append(l.path, name)
			return nil
		}
	}
	return usagef("%sno command %q; %s", l.prefix(), name, nearOr(name, l.known(), "the commands are"))
}

func (l *commandLine) parse(args []string) ([]string, error) {
	l.seen = make(map[string]string)
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		var err error
		switch {
		case arg == "--":
			l.operands = append(l.operands, args...)
			args = nil
		case len(arg) < 2 || arg[0] != '-':
			l.operands = append(l.operands, arg)
		case arg == "-h" || arg == "--help":
			return append(l.path, "--help"), nil
		case arg[1] == '-':
			args, err = l.long(arg, args)
		default:
			args, err = l.short(arg, args)
		}
		if err != nil {
			return nil, err
		}
	}
	out := append(l.path, l.flags...)
	return append(append(out, "--"), l.operands...), nil
}

// long reads --name, --name=value or --name value.
func (l *commandLine) long(arg string, rest []string) ([]string, error) {
	name, value, has := strings.Cut(arg[2:], "=")
	f := lookup(l.command.Flags, name)
	if f != nil && len(name) == 1 {
		return nil, usagef("%sno flag --%s; did you mean -%s?", l.prefix(), name, name)
	}
	if f == nil {
		return nil, l.unknown("--" + name)
	}
	if _, ok := f.(*cli.BoolFlag); ok {
		if has {
			return nil, usagef("%s--%s takes no value", l.prefix(), name)
		}
		return rest, l.set(f, "--"+name, "true")
	}
	return l.value(f, "--"+name, value, has, rest)
}

// short reads -abc, where the first of the flags that takes a value has the
// rest of the argument for it, or the next argument.
func (l *commandLine) short(arg string, rest []string) ([]string, error) {
	word, _, _ := strings.Cut(arg[1:], "=")
	if len(word) > 1 && lookup(l.command.Flags, word) != nil {
		return nil, usagef("%sno flag %s; did you mean -%s?", l.prefix(), arg, arg)
	}
	for i, r := range arg {
		if i == 0 {
			continue
		}
		f := lookup(l.command.Flags, string(r))
		if f == nil {
			return nil, l.unknown("-" + string(r))
		}
		if _, ok := f.(*cli.BoolFlag); !ok {
			value := arg[i+1:]
			return l.value(f, "-"+string(r), strings.TrimPrefix(value, "="), value != "", rest)
		}
		if err := l.set(f, "-"+string(r), "true"); err != nil {
			return nil, err
		}
	}
	return rest, nil
}

func (l *commandLine) value(f cli.Flag, as, value string, has bool, rest []string) ([]string, error) {
	if !has {
		if len(rest) == 0 {
			return nil, usagef("%s%s needs a value", l.prefix(), as)
		}
		value, rest = rest[0], rest[1:]
		// More likely a value left out than a value that looks like a flag.
		if len(value) > 1 && value[0] == '-' {
			return nil, usagef("%s%s needs a value; one that begins with - is written --%s=%s", l.prefix(), as, f.Names()[0], show(value))
		}
	}
	return rest, l.set(f, as, value)
}

func (l *commandLine) set(f cli.Flag, as, value string) error {
	name := f.Names()[0]
	_, isBool := f.(*cli.BoolFlag)
	_, isSlice := f.(*cli.StringSliceFlag)
	if before, twice := l.seen[name]; twice && !isSlice {
		if isBool {
			return nil
		}
		if before != as {
			as = before + " and " + as
		}
		return usagef("%s%s given twice", l.prefix(), as)
	}
	l.seen[name] = as
	l.flags = append(l.flags, "--"+name+"="+value)
	return nil
}

// unknown is the error for a flag that this command has not.
func (l *commandLine) unknown(flag string) error {
	if owners := l.owners(flag); len(owners) > 0 {
		return usagef("%sflag %s means nothing here; it belongs to %s", l.prefix(), flag, strings.Join(owners, ", "))
	}
	known := []string{"--help"}
	for _, f := range l.command.Flags {
		for _, n := range f.Names() {
			if len(n) > 1 {
				known = append(known, "--"+n)
			}
		}
	}
	slices.Sort(known)
	if len(flag) == 2 {
		return usagef("%sno flag %q; see blkcrypt %s --help", l.prefix(), flag, strings.Join(l.path, " "))
	}
	return usagef("%sno flag %q; %s", l.prefix(), flag, nearOr(flag, known, "the flags are"))
}

// owners returns the commands that have a flag.
func (l *commandLine) owners(flag string) (paths []string) {
	everyCommand(l.app.Commands, "", func(path string, c *cli.Command) {
		if lookup(c.Flags, strings.TrimLeft(flag, "-")) != nil {
			paths = append(paths, path)
		}
	})
	return paths
}

func everyCommand(commands []*cli.Command, path string, f func(path string, c *cli.Command)) {
	for _, c := range commands {
		f(path+c.Name, c)
		everyCommand(c.Subcommands, path+c.Name+" ", f)
	}
}

func lookup(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// nearOr asks whether the names near to name were meant, or lists all of them
// after intro.
func nearOr(name string, known []string, intro string) string {
	var near []string
	for _, k := range known {
		if strings.HasPrefix(k, name) || strings.HasPrefix(name, k) || distance(name, k) <= 1+len(k)/4 {
			near = append(near, k)
		}
	}
	if len(near) == 0 {
		return intro + " " + strings.Join(known, ", ")
	}
	return "did you mean " + strings.Join(near, " or ") + "?"
}

// distance is the number of bytes to insert, delete, replace or swap with a
// neighbour to make b of a.
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			same := last[j-1]
			if a[i-1] != b[j-1] {
				same++
			}
			row[j] = min(same, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// parseCount reads a decimal number. (A leading zero makes no octal.)
func parseCount(flag, s string) (int64, error) {
	var n int64
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > (1<<63-10)/10 {
			return 0, usagef("%s: %q is not a number", flag, s)
		}
		n = 10*n + int64(c-'0')
	}
	if s == "" {
		return 0, usagef("%s: the number is missing", flag)
	}
	return n, nil
}

// parseSize reads a number of bytes: 65536, 64K or 64KiB, likewise M and G.
func parseSize(flag, s string) (int64, error) {
	number := strings.TrimRight(s, "kKmMgGiIbB")
	shift, ok := map[string]uint{"": 0, "b": 0, "k": 10, "kib": 10, "m": 20, "mib": 20, "g": 30, "gib": 30}[strings.ToLower(s[len(number):])]
	n, err := parseCount(flag, number)
	if err != nil || !ok || n > 1<<62>>shift {
		return 0, usagef("%s: %q is not a size such as 65536, 64K or 64KiB", flag, s)
	}
	return n << shift, nil
}

// parseChunkSize returns the binary logarithm of a chunk size.
func parseChunkSize(s string) (int, error) {
	n, err := parseSize("--chunk-size", s)
	if err != nil {
		return 0, err
	}
	log := bits.Len64(uint64(n)) - 1
	if n != 1<<max(log, 0) || log < 12 || log > 23 {
		return 0, usagef("--chunk-size: %s is not a power of two from 4KiB to 8MiB", show(s))
	}
	return log, nil
}

// parseRange reads a decimal number from low to high.
func parseRange(flag, s string, low, high int64) (int, error) {
	n, err := parseCount(flag, s)
	if err == nil && (n < low || n > high) {
		err = usagef("%s: %d is not from %d to %d", flag, n, low, high)
	}
	return int(n), err
}

// pathOf names the command as it is typed: "enc", "key add".
func pathOf(c *cli.Context) string { return strings.TrimPrefix(c.Command.HelpName, "blkcrypt ") }

// operands checks how many a command was given.
func operands(c *cli.Context, most int) ([]string, error) {
	names := c.Args().Slice()
	if len(names) > most {
		return nil, usagef("%s: %s is one too many", pathOf(c), show(names[most]))
	}
	if i := slices.Index(names, ""); i >= 0 {
		return nil, usagef("%s: the name of file %d is empty", pathOf(c), i+1)
	}
	return names, nil
}
