package interop_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// attempt is a testing.TB whose failure is not yet the test's failure.
type attempt struct {
	testing.TB
	number int

	mu       sync.Mutex
	failed   bool
	messages []string
	cleanups []func()
	ctx      context.Context
}

// run calls f on a goroutine of its own, so that FailNow may end it, then cleans up.
func (a *attempt) run(f func()) {
	ctx, cancel := context.WithCancel(a.TB.Context())
	a.ctx = ctx
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
	cancel()
	for i := len(a.cleanups) - 1; i >= 0; i-- {
		a.isolated(a.cleanups[i])
	}
}

// isolated lets a cleanup fail without ending the others.
func (a *attempt) isolated(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func (a *attempt) firstLine() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.messages) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(a.messages[0], "\n")
	return line
}

func (a *attempt) note(message string) {
	a.mu.Lock()
	a.messages = append(a.messages, message)
	a.failed = true
	a.mu.Unlock()
	a.Logf("try %d: %s", a.number+1, message)
}

// Name differs from try to try, and so do the queues named after it.
func (a *attempt) Name() string             { return fmt.Sprintf("%s_try%d", a.TB.Name(), a.number+1) }
func (a *attempt) Context() context.Context { return a.ctx }
func (a *attempt) Cleanup(f func())         { a.cleanups = append(a.cleanups, f) }
func (a *attempt) Error(args ...any)        { a.note(fmt.Sprint(args...)) }

func (a *attempt) Errorf(format string, args ...any) { a.note(fmt.Sprintf(format, args...)) }
func (a *attempt) Fail()                             { a.note("failed") }

func (a *attempt) Failed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failed
}

func (a *attempt) Fatal(args ...any) {
	a.note(fmt.Sprint(args...))
	runtime.Goexit()
}

func (a *attempt) Fatalf(format string, args ...any) {
	a.note(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (a *attempt) FailNow() {
	a.Fail()
	runtime.Goexit()
}
