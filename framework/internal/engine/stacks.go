package engine

import (
	"bytes"
	"fmt"
	"runtime"
)

// Bounds of what is kept of stacks.
const (
	maxStack = 8 << 10  // of one goroutine, in the log
	maxDump  = 64 << 20 // of all goroutines, in memory, while one is looked for
)

// goroutineID reads the number of the calling goroutine from the first line of its
// stack, which is the only place that tells it. A worker asks once in its life.
func goroutineID() string {
	var b [64]byte
	head, _ := bytes.CutPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine "))
	id, _, _ := bytes.Cut(head, []byte(" "))
	return string(id)
}

// dumpStacks is one dump of all goroutines, made when it is first asked for. Making one
// stops the program for a moment, so all handlers that hang at one time share it.
// The zero value is ready; it belongs to one goroutine.
type dumpStacks struct{ all []byte }

// Of returns the stack of a goroutine, its middle left out where it is long.
func (s *dumpStacks) Of(id string) string {
	if s.all == nil {
		s.all = dump()
	}
	mark := []byte("goroutine " + id + " ")
	for rest := s.all; len(rest) > 0; {
		var one []byte
		one, rest, _ = bytes.Cut(rest, []byte("\n\n"))
		if bytes.HasPrefix(one, mark) {
			return shortStack(one)
		}
	}
	return fmt.Sprintf("goroutine %s is not among the first %d bytes of stacks", id, len(s.all))
}

// dump writes the stacks of all goroutines, the caller's first.
func dump() []byte {
	for size := 1<<16 + runtime.NumGoroutine()<<11; ; size *= 2 {
		b := make([]byte, min(size, maxDump))
		if n := runtime.Stack(b, true); n < len(b) || len(b) == maxDump {
			return b[:n]
		}
	}
}

// shortStack keeps whole lines of both ends: the first ones say what the goroutine
// waits for, the last ones who started it.
func shortStack(b []byte) string {
	if len(b) <= maxStack {
		return string(b)
	}
	head, tail := b[:maxStack*3/4], b[len(b)-maxStack/4+64:]
	head = head[:bytes.LastIndexByte(head, '\n')+1]
	tail = tail[bytes.IndexByte(tail, '\n')+1:]
	return fmt.Sprintf("%s... %d bytes left out ...\n%s", head, len(b)-len(head)-len(tail), tail)
}
