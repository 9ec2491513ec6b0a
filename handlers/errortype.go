package handlers

import (
	"context"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
)

// OtherError is what [ErrorType] says of errors that have no telling type, as
// OpenTelemetry has it for error.type.
const OtherError = "_OTHER"

// ErrorType returns a low-cardinality name of err for telemetry and logs, never
// its text. It is, in this order: what a method ErrorType() string in the chain
// says ("timeout", "panic", "decode", "rejected", "draining", "lease_lost", …;
// the outermost wins); "timeout" for context.DeadlineExceeded and "canceled"
// for context.Canceled; the Go type of the outermost error that is not one of
// Go's own wrappers, such as "*net.OpError"; otherwise [OtherError]. Of nil it
// is "". It never panics.
func ErrorType(err error) (name string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			name = "panic"
		}
	}()
	typeName := OtherError
	for e := range tree(err) {
		if named, ok := e.(interface{ ErrorType() string }); ok {
			return codecs.Printable(named.ErrorType(), maxErrorType)
		}
		if typeName == OtherError && !anonymous(e) {
			typeName = reflect.TypeOf(e).String()
		}
	}
	switch {
	case matches(err, context.DeadlineExceeded):
		return "timeout"
	case matches(err, context.Canceled):
		return "canceled"
	}
	return typeName
}

// maxErrorType bounds what an ErrorType method may say, in bytes.
const maxErrorType = 128

// anonymous reports whether the type of err says nothing about the error.
func anonymous(err error) bool {
	switch err.(type) { //nolint:errorlint // tree yields wrapped errors one by one
	case *transient, *permanent:
		return true
	}
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "errors" || t.PkgPath() == "fmt"
}
