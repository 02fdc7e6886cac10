package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// task is one file to convert.
type task struct {
	name    string      // of the input, "-" for standard input
	info    fs.FileInfo // of the input
	rel     string      // the input's place below --output-dir
	folders []*folder   // to make for the output, outermost first
	in      *input      // nil until it is open
	out     *output
	probed  bool

	// When it is converted:
	suite   string
	plain   int64 // bytes of plaintext
	seconds float64
	err     error
}

// finder makes jobs of operands.
type finder struct {
	*batch
	top    *folder     // --output-dir
	target fs.FileInfo // likewise, nil where it is not there yet
	unread bool        // something below an operand could not be read
	jobs   []*task
}

// find returns the jobs for the operands. What is wrong with one of them is
// reported and does not keep the others back.
func (b *batch) find(names []string) []*task {
	f := &finder{batch: b}
	if b.outputDir != "" {
		f.target, _ = os.Stat(b.outputDir)
		f.top = &folder{path: b.outputDir, mode: 0o777 &^ b.t.umask, gid: -1}
		b.made = append(b.made, f.top)
	}
	for _, name := range names {
		if err := f.operand(name); err != nil && !b.failed(name, "", err) {
			break
		}
	}
	return f.jobs
}

func (f *finder) operand(name string) error {
	if name == "-" {
		info, err := f.t.stdin.Stat()
		if err != nil {
			return failed("standard input", err)
		}
		f.jobs = append(f.jobs, &task{name: name, info: info})
		return nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return failed(name, err)
	}
	base := filepath.Base(name)
	var folders []*folder
	if f.outputDir != "" {
		folders = []*folder{f.top}
	}
	switch {
	case !info.IsDir():
		f.jobs = append(f.jobs, &task{name: name, info: info, rel: base, folders: folders})
		return nil
	case !f.recursive:
		return &failure{code: exitFailure, file: show(name), err: errors.New("is a directory"), hint: "-r takes the files in it"}
	}
	if link, err := os.Lstat(name); err == nil && link.Mode()&fs.ModeSymlink != 0 {
		return &failure{code: exitFailure, file: show(name), err: errors.New("is a symbolic link, which -r does not follow"), hint: "a / at its end names the folder"}
	}
	if base == "." || base == ".." || base == string(filepath.Separator) {
		base = ""
	}
	before := len(f.jobs)
	f.unread = false
	f.folder(name, base, folders)
	if len(f.jobs) == before && !f.unread {
		f.t.warn(name, "holds no file to take")
	}
	return nil
}

// folder takes the files below dir, whose outputs go to rel below --output-dir,
// for which folders must be made. It returns false where all should end.
func (f *finder) folder(dir, rel string, folders []*folder) bool {
	info, err := os.Stat(dir)
	var entries []fs.DirEntry
	if err == nil {
		entries, err = os.ReadDir(dir)
	}
	if err != nil {
		f.unread = true
		return f.failed(dir, "", failed(dir, err))
	}
	if f.target != nil && os.SameFile(info, f.target) {
		return true // results of this run or an earlier one
	}
	if folders != nil && rel != "" {
		next := &folder{path: filepath.Join(f.outputDir, rel), mode: info.Mode().Perm()&^f.t.umask | 0o700, gid: groupOf(info)}
		f.made = append(f.made, next)
		folders = append(folders[:len(folders):len(folders)], next)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if !f.folder(name, filepath.Join(rel, e.Name()), folders) {
				return false
			}
			continue
		}
		info, err := e.Info()
		switch {
		case err != nil:
			f.unread = true
			if !f.failed(name, "", failed(name, err)) {
				return false
			}
		case info.Mode()&fs.ModeSymlink != 0:
			f.t.warn(name, "is a symbolic link; left out")
		case !info.Mode().IsRegular():
			f.t.warn(name, "is not a regular file; left out")
		case isTemporary(e.Name()):
			f.t.warn(name, "is left over from a run that was cut off; left out")
		case f.conv.binary && strings.HasSuffix(name, suffix):
			f.t.warn(name, "ends in "+suffix+" already; left out")
		case !f.conv.binary && !strings.HasSuffix(name, suffix):
			f.tell(name, "does not end in "+suffix+"; left out")
		default:
			f.jobs = append(f.jobs, &task{name: name, info: info, rel: filepath.Join(rel, e.Name()), folders: folders})
		}
	}
	return true
}

// plan decides where the outputs go, and leaves the jobs for which that can be.
func (b *batch) plan(jobs []*task) (planned []*task, err error) {
	if b.end {
		return nil, nil
	}
	checked := make(map[string]error)
	inputs, targets := make(map[fileID]*task), make(map[string]*task)
	for _, j := range jobs {
		if id, ok := idOf(j.info); ok {
			inputs[id] = j
		}
	}
	for _, j := range jobs {
		target, err := b.target(j)
		if err == nil {
			j.out, err = b.t.planOutput(target, &input{name: inputName(j.name), info: j.info},
				outputOptions{force: b.force, explicit: b.output != "", binary: b.conv.binary, folders: j.folders, checked: checked})
		}
		if err == nil {
			// A mistake in the command line, not in one of many files.
			if err := b.checkStraight(j.out); err != nil {
				return nil, err
			}
			err = b.checkOthers(j, inputs, targets)
		}
		if err == nil && b.remove {
			err = removable(j)
		}
		if err == nil {
			planned = append(planned, j)
		} else if !b.failed(j.name, target, err) {
			break
		}
	}
	return planned, nil
}

func (b *batch) target(j *task) (string, error) {
	switch {
	case b.output != "":
		return b.output, nil
	case j.name == "-":
		return "-", nil
	}
	name := j.name
	if b.outputDir != "" {
		name = filepath.Join(b.outputDir, j.rel)
	}
	target, err := b.conv.outputName(name)
	var wrong *failure
	if errors.As(err, &wrong) {
		wrong.file = show(j.name)
	}
	return target, err
}

// checkOthers refuses an output that would take the place of another file's
// input or output.
func (b *batch) checkOthers(j *task, inputs map[fileID]*task, targets map[string]*task) error {
	key := filepath.Clean(j.out.name)
	if other := targets[key]; other != nil {
		if j.out.straight() {
			return usagef("%s takes one file only", j.out.name)
		}
		return refusef(j.name, "", "its output would be %s, as that of %s", show(j.out.name), show(other.name))
	}
	if j.out.straight() {
		targets[key] = j
		return nil
	}
	if j.out.old != nil {
		if id, ok := idOf(j.out.old); ok && inputs[id] != nil {
			return refusef(j.name, "", "its output %s is an input, too", show(j.out.name))
		}
	}
	targets[key] = j
	return nil
}

// removable refuses an input whose contents would stay when its name is gone.
func removable(j *task) error {
	info, err := os.Lstat(j.name)
	if err != nil {
		return failed(j.name, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return refusef(j.name, "", "is a symbolic link; --rm would leave the file it leads to")
	}
	if !info.Mode().IsRegular() {
		return refusef(j.name, "", "is not a regular file; --rm does not remove it")
	}
	if err := writableFolder(filepath.Dir(j.name)); err != nil {
		return failed(filepath.Dir(j.name), err)
	}
	if n := linksOf(info); n > 1 {
		return refusef(j.name, "", "has %d names; --rm would leave the file under another", n)
	}
	return nil
}

func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return name
}

// what names the files in a prompt.
func what(jobs []*task) string {
	name := show(inputName(jobs[0].name))
	switch len(jobs) {
	case 1:
		return name
	case 2:
		return name + " and " + show(jobs[1].name)
	}
	return fmt.Sprintf("%s and %d more files", name, len(jobs)-1)
}
