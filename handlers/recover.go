package handlers

import (
	"context"
	"runtime"
	"runtime/debug"
)

// Recover turns a panic in what it wraps into a [*PanicError], also that of
// panic(nil), whatever GODEBUG says.
//
// What no middleware can catch: a panic in a goroutine that the handler
// started, and Go's fatal errors (concurrent map writes, stack exhausted, out
// of memory); they end the process, and the lease sees to the message.
// [runtime.Goexit] is not stopped either: the goroutine ends, and the engine,
// which notices, counts a failure.
func Recover() Middleware {
	return func(next Next) Next {
		return func(ctx context.Context, m *Message) (err error) {
			returned := false
			defer func() {
				if !returned {
					err = panicked(recover())
				}
			}()
			err = next(ctx, m)
			returned = true
			return err
		}
	}
}

// panicked makes an error of what recover gave.
func panicked(v any) error {
	if v == nil { // panic(nil) under GODEBUG=panicnil=1, or Goexit
		v = new(runtime.PanicNilError)
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}
