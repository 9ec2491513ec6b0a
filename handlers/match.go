package handlers

import "iter"

// Errors yields err and all errors that it wraps or joins, in the order in which errors.Is
// and errors.As look at them. It ends after 1,000 errors, so that an error that wraps
// itself cannot hang it. It calls the errors' Unwrap methods, which are others' code and
// may panic.
func Errors(err error) iter.Seq[error] { return tree(err) }

// PanicOf returns the panic that err is or wraps, nil where there is none. Unlike errors.As
// it never panics and always ends, whatever the error's own methods do.
func PanicOf(err error) (found *PanicError) {
	defer func() {
		if recover() != nil {
			found = nil
		}
	}()
	for e := range tree(err) {
		if p, ok := e.(*PanicError); ok && p != nil { //nolint:errorlint // tree yields wrapped errors one by one
			return p
		}
	}
	return nil
}

// Decided reports whether err already decides what becomes of the message, by [Retry],
// [RetryAfter], [Reject], [Permanent] or a codec's error; the rules of a queue do not
// overrule that. For nil it is false. It never panics.
func Decided(err error) bool {
	if err == nil {
		return false
	}
	return judge(err).explicit
}
