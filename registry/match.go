package registry

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/handlers"
)

// ErrorMatch says which errors a [Rule] matches. Make one with [ErrorIs], [ErrorAs] or
// [ErrorWhere]; the zero value is a mistake that [Define] reports.
type ErrorMatch struct {
	text   string
	fault  string
	target error        // of ErrorIs
	class  reflect.Type // of ErrorAs
	test   func(err error) bool
}

// ErrorIs matches errors by the rules of errors.Is: target itself, errors that wrap it, and
// those whose Is method says so.
func ErrorIs(target error) ErrorMatch {
	if isNil(target) {
		return ErrorMatch{text: "ErrorIs(nil)", fault: "the error must not be nil"}
	}
	alike := reflect.TypeOf(target).Comparable()
	return ErrorMatch{
		text: fmt.Sprintf("ErrorIs(%q)", errorText(target)), target: target,
		test: func(err error) bool {
			for e := range handlers.Errors(err) {
				if alike && e == target { //nolint:errorlint // the errors are yielded one by one
					return true
				}
				if is, ok := e.(interface{ Is(error) bool }); ok && is.Is(target) {
					return true
				}
			}
			return false
		},
	}
}

// ErrorAs matches errors of type E by the rules of errors.As: of type E, or where E is an
// interface, with its methods; wrapped ones too, and those whose As method says so.
func ErrorAs[E error]() ErrorMatch {
	class := reflect.TypeFor[E]()
	return ErrorMatch{
		text: fmt.Sprintf("ErrorAs[%s]()", class), class: class,
		test: func(err error) bool {
			for e := range handlers.Errors(err) {
				if _, ok := e.(E); ok { //nolint:errorlint // the errors are yielded one by one
					return true
				}
				var target E
				if as, ok := e.(interface{ As(any) bool }); ok && as.As(&target) {
					return true
				}
			}
			return false
		},
	}
}

// ErrorWhere matches errors for which test returns true, when neither a value nor a type
// tells them apart, such as by a status inside an error. name describes the test in
// messages. test gets the very error that the handler returned, with all that it wraps. It must be
// safe for concurrent use. If it panics, the error does not match.
func ErrorWhere(name string, test func(err error) bool) ErrorMatch {
	m := ErrorMatch{text: fmt.Sprintf("ErrorWhere(%q)", name), test: test}
	if test == nil {
		m.fault = "the function must not be nil"
	}
	return m
}

// String returns the match as the program says it.
func (m ErrorMatch) String() string {
	if m.text == "" {
		return "ErrorMatch{}"
	}
	return m.text
}

func (m ErrorMatch) problem() string {
	if m.text == "" {
		return "an empty ErrorMatch: use registry.ErrorIs, ErrorAs or ErrorWhere"
	}
	return m.fault
}

// meets asks the methods of err, which are somebody's code.
func (m ErrorMatch) meets(err error) (met bool) {
	defer func() {
		if recover() != nil {
			met = false
		}
	}()
	return m.test(err)
}

var anyError = reflect.TypeFor[error]()

// covers reports whether m meets what other is about, so that other is never asked.
func (m ErrorMatch) covers(other ErrorMatch) (covered bool) {
	defer func() {
		if recover() != nil { // an error of a type that cannot be compared after all
			covered = false
		}
	}()
	switch {
	case m.class == anyError:
		return true
	case m.class != nil && other.class != nil:
		return m.class == other.class || m.class.Kind() == reflect.Interface && other.class.Implements(m.class)
	case m.target != nil && other.target != nil:
		return m.target == other.target //nolint:errorlint // the very same value
	}
	return false
}

// isNil reports whether v is nil or holds a nil pointer or function.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Chan:
		return r.IsNil()
	default:
		return false
	}
}

// errorText calls Error, which is somebody's code.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T (its Error method panics)", err)
		}
	}()
	return err.Error()
}
