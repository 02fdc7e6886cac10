package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blkcrypt/format"
)

func (t *tool) completionCommand() *cli.Command {
	shells := map[string]func(*completion, io.Writer){"bash": (*completion).bash, "fish": (*completion).fish, "zsh": (*completion).zsh}
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a completion script for a shell",
		UsageText: "blkcrypt completion bash|fish|zsh",
		Description: "bash: source <(blkcrypt completion bash)\n" +
			"fish: blkcrypt completion fish >~/.config/fish/completions/blkcrypt.fish\n" +
			"zsh:  blkcrypt completion zsh >\"${fpath[1]}/_blkcrypt\"",
		Action: func(c *cli.Context) error {
			names, err := operands(c, 1)
			if err != nil {
				return err
			}
			if len(names) == 0 || shells[names[0]] == nil {
				return usagef("completion: name a shell: bash, fish or zsh")
			}
			shells[names[0]](newCompletion(c.App), c.App.Writer)
			return nil
		},
	}
}

// completion is what the scripts have in common: the program's own commands and
// flags, so that they can't differ from it.
type completion struct {
	commands []completedCommand
	suites   []string
}

type completedCommand struct {
	path  string // "enc", "key add"
	usage string
	flags []completedFlag
	subs  []completedCommand
	blk   bool // its operands are encrypted files
}

type completedFlag struct {
	names []string // "-c", "--suite"
	usage string
	value string // what kind of value it takes: "", "suite", "file", "dir", "other"
}

func newCompletion(app *cli.App) *completion {
	c := &completion{commands: completeCommands(app.Commands, "")}
	for _, s := range format.Suites() {
		c.suites = append(c.suites, s.String())
	}
	return c
}

func completeCommands(commands []*cli.Command, prefix string) (list []completedCommand) {
	for _, c := range commands {
		path := strings.TrimSpace(prefix + " " + c.Name)
		cc := completedCommand{path: path, usage: c.Usage, subs: completeCommands(c.Subcommands, path),
			blk: !slices.Contains([]string{"enc", "key new", "speed", "ciphers", "completion"}, path)}
		for _, f := range c.Flags {
			if v, ok := f.(cli.VisibleFlag); !ok || v.IsVisible() {
				cc.flags = append(cc.flags, completeFlag(f))
			}
		}
		list = append(list, cc)
	}
	return list
}

func completeFlag(f cli.Flag) completedFlag {
	cf := completedFlag{value: "other"}
	for _, n := range f.Names() {
		if len(n) == 1 {
			cf.names = append(cf.names, "-"+n)
		} else {
			cf.names = append(cf.names, "--"+n)
		}
	}
	if d, ok := f.(cli.DocGenerationFlag); ok {
		cf.usage = strings.ReplaceAll(d.GetUsage(), "`", "")
		if !d.TakesValue() {
			cf.value = ""
			return cf
		}
	}
	switch name := f.Names()[0]; {
	case name == "suite":
		cf.value = "suite"
	case strings.HasSuffix(name, "-dir"):
		cf.value = "dir"
	case strings.HasSuffix(name, "file") && name != "file", name == "output", name == "header", name == "svg", name == "compare":
		cf.value = "file"
	}
	return cf
}

// leaves returns the commands that do something.
func (c *completion) leaves() (list []completedCommand) {
	for _, cc := range c.commands {
		if len(cc.subs) > 0 {
			list = append(list, cc.subs...)
		} else {
			list = append(list, cc)
		}
	}
	return list
}

func pathsOf(commands []completedCommand) (names []string) {
	for _, c := range commands {
		_, last, _ := strings.Cut(" "+c.path, " ")
		names = append(names, last[strings.LastIndexByte(last, ' ')+1:])
	}
	return names
}

func (c *completion) bash(w io.Writer) {
	kinds := map[string][]string{}
	for _, cc := range c.leaves() {
		for _, f := range cc.flags {
			for _, n := range f.names {
				if !slices.Contains(kinds[f.value], n) {
					kinds[f.value] = append(kinds[f.value], n)
				}
			}
		}
	}
	fmt.Fprintf(w, `# bash completion of blkcrypt: source <(blkcrypt completion bash)
_blkcrypt() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} flags= pattern=
	local IFS=$' \t\n'
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W '%s' -- "$cur"))
		return
	fi
`, strings.Join(pathsOf(c.commands), " "))
	for _, cc := range c.commands {
		if len(cc.subs) > 0 {
			fmt.Fprintf(w, "\tif [[ $command == %s ]]; then\n\t\tif ((COMP_CWORD == 2)); then\n\t\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n\t\t\treturn\n\t\tfi\n\t\tcommand+=\" ${COMP_WORDS[2]}\"\n\tfi\n",
				cc.path, strings.Join(pathsOf(cc.subs), " "))
		}
	}
	fmt.Fprintf(w, "\tcase $prev in\n\t%s)\n\t\tCOMPREPLY=($(compgen -W '%s' -- \"$cur\"))\n\t\treturn ;;\n",
		strings.Join(kinds["suite"], " | "), strings.Join(c.suites, " "))
	fmt.Fprintf(w, "\t%s)\n\t\tIFS=$'\\n'\n\t\tCOMPREPLY=($(compgen -d -- \"$cur\"))\n\t\treturn ;;\n", strings.Join(kinds["dir"], " | "))
	fmt.Fprintf(w, "\t%s)\n\t\tIFS=$'\\n'\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\treturn ;;\n", strings.Join(kinds["file"], " | "))
	fmt.Fprintf(w, "\t%s)\n\t\treturn ;;\n\tesac\n\tcase $command in\n", strings.Join(kinds["other"], " | "))
	for _, cc := range c.leaves() {
		var names []string
		for _, f := range cc.flags {
			names = append(names, f.names...)
		}
		pattern := "*"
		if cc.blk {
			pattern = "*.blk"
		}
		fmt.Fprintf(w, "\t'%s') flags='%s' pattern='%s' ;;\n", cc.path, strings.Join(names, " "), pattern)
	}
	fmt.Fprint(w, `	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags --help" -- "$cur"))
	elif [[ $command == completion ]]; then
		COMPREPLY=($(compgen -W 'bash fish zsh' -- "$cur"))
	elif [[ $pattern ]]; then
		IFS=$'\n'
		COMPREPLY=($(compgen -f -X "!$pattern" -- "$cur") $(compgen -d -- "$cur"))
	fi
}
complete -o filenames -F _blkcrypt blkcrypt
`)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (c *completion) fish(w io.Writer) {
	fmt.Fprint(w, "# fish completion of blkcrypt\ncomplete -c blkcrypt -f\n")
	for _, cc := range c.commands {
		fmt.Fprintf(w, "complete -c blkcrypt -n __fish_use_subcommand -a %s -d %s\n", cc.path, quoted(cc.usage))
		seen := "__fish_seen_subcommand_from " + strings.Join(pathsOf(cc.subs), " ")
		for _, sub := range cc.subs {
			fmt.Fprintf(w, "complete -c blkcrypt -n '__fish_seen_subcommand_from %s; and not %s' -a %s -d %s\n",
				cc.path, seen, pathsOf([]completedCommand{sub})[0], quoted(sub.usage))
		}
	}
	for _, cc := range c.leaves() {
		when := "__fish_seen_subcommand_from " + strings.ReplaceAll(cc.path, " ", "; and __fish_seen_subcommand_from ")
		for _, f := range cc.flags {
			fmt.Fprintf(w, "complete -c blkcrypt -n '%s'", when)
			for _, n := range f.names {
				if long, ok := strings.CutPrefix(n, "--"); ok {
					fmt.Fprintf(w, " -l %s", long)
				} else {
					fmt.Fprintf(w, " -s %s", n[1:])
				}
			}
			switch f.value {
			case "suite":
				fmt.Fprintf(w, " -x -a %s", quoted(strings.Join(c.suites, " ")))
			case "dir":
				fmt.Fprint(w, " -x -a '(__fish_complete_directories)'")
			case "file":
				fmt.Fprint(w, " -r -F")
			case "other":
				fmt.Fprint(w, " -x")
			}
			fmt.Fprintf(w, " -d %s\n", quoted(f.usage))
		}
		switch {
		case cc.blk:
			fmt.Fprintf(w, "complete -c blkcrypt -n '%s' -k -a '(__fish_complete_suffix .blk)'\n", when)
		case cc.path == "enc":
			fmt.Fprintf(w, "complete -c blkcrypt -n '%s' -F\n", when)
		case cc.path == "completion":
			fmt.Fprintf(w, "complete -c blkcrypt -n '%s' -a 'bash fish zsh'\n", when)
		}
	}
}

func (c *completion) zsh(w io.Writer) {
	fmt.Fprint(w, "#compdef blkcrypt\n# zsh completion of blkcrypt\n\n_blkcrypt() {\n\tlocal -a commands suites\n")
	fmt.Fprintf(w, "\tsuites=(%s)\n", strings.Join(c.suites, " "))
	describe := func(indent, what string, list []completedCommand) {
		fmt.Fprintf(w, "%scommands=(\n", indent)
		for _, cc := range list {
			fmt.Fprintf(w, "%s\t%s\n", indent, quoted(pathsOf([]completedCommand{cc})[0]+":"+cc.usage))
		}
		fmt.Fprintf(w, "%s)\n%s_describe %s commands\n%sreturn\n", indent, indent, what, indent)
	}
	fmt.Fprint(w, "\tif ((CURRENT == 2)); then\n")
	describe("\t\t", "command", c.commands)
	fmt.Fprint(w, "\tfi\n\tlocal command=$words[2]\n")
	for _, cc := range c.commands {
		if len(cc.subs) > 0 {
			fmt.Fprintf(w, "\tif [[ $command == %s ]]; then\n\t\tif ((CURRENT == 3)); then\n", cc.path)
			describe("\t\t\t", "command", cc.subs)
			fmt.Fprint(w, "\t\tfi\n\t\tcommand+=\" $words[3]\"\n\t\tshift words\n\t\t((CURRENT--))\n\tfi\n")
		}
	}
	fmt.Fprint(w, "\tshift words\n\t((CURRENT--))\n\tcase $command in\n")
	for _, cc := range c.leaves() {
		fmt.Fprintf(w, "\t%s)\n\t\t_arguments -s", strings.ReplaceAll(quoted(cc.path), "'", "\""))
		for _, f := range cc.flags {
			usage := strings.NewReplacer("[", "(", "]", ")", ":", ",").Replace(f.usage)
			value := map[string]string{"": "", "suite": ":suite:($suites)", "dir": ":folder:_files -/", "file": ":file:_files", "other": ":value:"}[f.value]
			for _, n := range f.names {
				spec := n
				if f.value != "" && strings.HasPrefix(n, "--") {
					spec += "="
				}
				text := strings.NewReplacer(`"`, `\"`, "`", "\\`").Replace(spec + "[" + usage + "]" + value)
				fmt.Fprintf(w, " \\\n\t\t\t\"%s\"", text)
			}
		}
		switch {
		case cc.blk:
			fmt.Fprint(w, " \\\n\t\t\t'*:encrypted file:_files -g \"*.blk\"'")
		case cc.path == "enc":
			fmt.Fprint(w, " \\\n\t\t\t'*:file:_files'")
		case cc.path == "completion":
			fmt.Fprint(w, " \\\n\t\t\t':shell:(bash fish zsh)'")
		}
		fmt.Fprint(w, " ;;\n")
	}
	fmt.Fprint(w, "\tesac\n}\n\n_blkcrypt \"$@\"\n")
}
