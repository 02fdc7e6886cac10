//go:build amd64 || arm64

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() { systemCommands["traced"] = traced }

// diskOp is a system call that changes what is on disk, or makes it durable.
type diskOp struct {
	Call     string // its name
	Path, To string // of the file, and the new name
	Off      int64  // of a write
	Data     []byte // written
}

// traced LOG STOP ARGUMENTS runs blkcrypt and writes the disk operations of its
// run to LOG, one a line. Every operation has two stops, before and after it; at
// number STOP, from 0 on, the process is killed.
func traced() {
	// Only the thread that started a process may trace it.
	runtime.LockOSThread()
	log, err := os.Create(os.Args[1])
	if err != nil {
		fail(err)
	}
	stop, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fail(err)
	}
	exe, err := os.Executable()
	if err != nil {
		fail(err)
	}
	p, err := os.StartProcess(exe, append([]string{"blkcrypt"}, os.Args[3:]...), &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
		Sys:   &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		fail(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		fail(err)
	}
	t := &tracer{pid: p.Pid, dir: dir, log: json.NewEncoder(log), stop: stop, pending: make(map[int]*pendingOp)}
	state := t.run()
	if state.Signaled() {
		os.Exit(128 + int(state.Signal()))
	}
	os.Exit(state.ExitStatus())
}

type tracer struct {
	pid     int
	dir     string // operations elsewhere don't count
	log     *json.Encoder
	stop    int // what is left to the stop to kill at, negative for none
	pending map[int]*pendingOp
}

// pendingOp is the system call that a thread is in.
type pendingOp struct {
	op diskOp
	fd int // that it writes to or opens, -1 for none
	at int64
}

func (t *tracer) run() syscall.WaitStatus {
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &ws, 0, nil); err != nil {
		panic(err)
	}
	if err := syscall.PtraceSetOptions(t.pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL); err != nil {
		fail(err)
	}
	for tid, sig := t.pid, 0; ; {
		// A thread that is gone meanwhile does not go on.
		if err := syscall.PtraceSyscall(tid, sig); err != nil && err != syscall.ESRCH {
			panic(err)
		}
		var err error
		for {
			tid, err = syscall.Wait4(-1, &ws, unix.WALL, nil)
			if err != nil && err != syscall.EINTR {
				panic(err)
			}
			if err == nil && ws.Stopped() {
				break
			}
			if err == nil && tid == t.pid {
				return ws
			}
		}
		sig = 0
		switch s := ws.StopSignal(); s {
		case syscall.SIGTRAP | 0x80:
			t.systemCall(tid)
		case syscall.SIGTRAP, syscall.SIGSTOP: // a thread was made, or begins
		default:
			sig = int(s)
		}
	}
}

// callInfo is the kernel's struct ptrace_syscall_info.
type callInfo struct {
	op   uint8
	_    [3]byte
	arch uint32
	_    [2]uint64
	// On entry the number of the call, on exit its result.
	nr   uint64
	args [6]uint64
}

func (t *tracer) systemCall(tid int) {
	var info callInfo
	if _, _, e := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid),
		unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0); e == unix.ESRCH {
		return // the process ended by another thread before it was asked
	} else if e != 0 {
		panic(e)
	}
	switch info.op {
	case unix.PTRACE_SYSCALL_INFO_ENTRY:
		if p := t.classify(info.nr, info.args); p != nil {
			t.pending[tid] = p
			t.count()
		}
	case unix.PTRACE_SYSCALL_INFO_EXIT:
		p := t.pending[tid]
		if delete(t.pending, tid); p == nil {
			return
		}
		t.finish(p, int64(info.nr))
		t.count()
	}
}

// count kills the process at the stop that was asked for.
func (t *tracer) count() {
	if t.stop == 0 {
		if err := syscall.Kill(t.pid, syscall.SIGKILL); err != nil {
			panic(err)
		}
	}
	t.stop--
}

// classify returns what a system call will do to the disk, nil for nothing.
func (t *tracer) classify(nr uint64, args [6]uint64) *pendingOp {
	p := &pendingOp{fd: -1}
	onFile := func(call string, fd uint64) *pendingOp {
		p.op.Call, p.fd = call, int(int32(fd))
		p.op.Path = t.fileOf(p.fd)
		return p
	}
	switch nr {
	case unix.SYS_OPENAT:
		if args[2]&(unix.O_CREAT|unix.O_TRUNC) == 0 {
			return nil
		}
		p.op.Call, p.op.Path = "create", t.text(args[1])
	case unix.SYS_WRITE:
		onFile("write", args[0])
		p.at = -1
	case unix.SYS_PWRITE64:
		onFile("write", args[0])
		p.at = int64(args[3])
	case unix.SYS_COPY_FILE_RANGE:
		onFile("write", args[2])
		p.at = -1
	case unix.SYS_SENDFILE, unix.SYS_SPLICE, unix.SYS_WRITEV, unix.SYS_PWRITEV, unix.SYS_PWRITEV2:
		panic(errors.New("a system call that this tracer does not follow"))
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		onFile("sync", args[0])
	case unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_FCHMOD, unix.SYS_FCHOWN:
		onFile("other", args[0])
	case unix.SYS_UNLINKAT:
		p.op.Call, p.op.Path = "remove", t.text(args[1])
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		p.op.Call, p.op.Path, p.op.To = "rename", t.text(args[1]), t.text(args[3])
	case unix.SYS_LINKAT, unix.SYS_MKDIRAT, unix.SYS_SYMLINKAT, unix.SYS_UTIMENSAT, unix.SYS_FCHMODAT, unix.SYS_FCHOWNAT:
		p.op.Call = "other"
		return p
	default:
		return nil
	}
	if p.op.Path != t.dir && !strings.HasPrefix(p.op.Path, t.dir+"/") {
		return nil // a terminal, a pipe, the runtime's own
	}
	return p
}

// finish notes an operation whose system call has returned.
func (t *tracer) finish(p *pendingOp, result int64) {
	if result < 0 {
		return
	}
	if p.op.Call == "write" {
		p.op.Off = p.at
		if p.at < 0 {
			p.op.Off = t.position(p.fd) - result
		}
		f, err := os.Open(p.op.Path)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		p.op.Data, err = io.ReadAll(io.NewSectionReader(f, p.op.Off, result))
		if err != nil {
			panic(err)
		}
	}
	if err := t.log.Encode(&p.op); err != nil {
		panic(err)
	}
}

func (t *tracer) fileOf(fd int) string {
	name, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", t.pid, fd))
	return name
}

// position returns the offset of an open file.
func (t *tracer) position(fd int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%d", t.pid, fd))
	if err != nil {
		panic(err)
	}
	n, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// text reads a name from the process's memory.
func (t *tracer) text(addr uint64) string {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", t.pid))
	if err != nil {
		panic(err)
	}
	defer f.Close()
	b := make([]byte, unix.PathMax)
	n, _ := f.ReadAt(b, int64(addr))
	end := bytes.IndexByte(b[:n], 0)
	if end < 0 {
		panic(errors.New("a name without an end"))
	}
	name := string(b[:end])
	if !filepath.IsAbs(name) {
		name = filepath.Join(t.dir, name)
	}
	return name
}
