package errtext

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/duequeue/duequeue/codecs"
)

// mostKinds is how many types of wrapped errors are named.
const mostKinds = 6

// spoken are errors whose text the Go library or the kernel wrote, and nobody else.
var spoken = []error{context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF}

// Kind says what kind of an error err is, without a word that a message, a handler or a server
// may have put into it: the types from the outermost to the innermost one, and the text of those
// that the kernel, io and context define. It is for pages without a login. Of nil it is "".
func Kind(err error) string {
	var kinds []string
	for err != nil && len(kinds) < mostKinds {
		kinds = append(kinds, kindOf(err))
		err = unwrapped(err)
	}
	return strings.Join(kinds, ": ")
}

func kindOf(err error) string {
	for _, known := range spoken {
		if is(err, known) {
			return known.Error()
		}
	}
	if number, ok := err.(syscall.Errno); ok { //nolint:errorlint // this walks the chain itself
		return number.Error()
	}
	return codecs.Printable(fmt.Sprintf("%T", err), maxType)
}

// is compares without a panic: errors of types that cannot be compared are not the same.
func is(err, known error) (same bool) {
	defer func() { _ = recover() }()
	return err == known //nolint:errorlint // this walks the chain itself
}

// unwrapped returns the next error of a chain, of several the first. An Unwrap method that panics
// ends the chain.
func unwrapped(err error) (next error) {
	defer func() {
		if recover() != nil {
			next = nil
		}
	}()
	switch e := err.(type) { //nolint:errorlint // this walks the chain itself
	case interface{ Unwrap() []error }:
		if all := e.Unwrap(); len(all) > 0 {
			return all[0]
		}
		return nil
	}
	return errors.Unwrap(err)
}
