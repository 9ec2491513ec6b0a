package handlers

import "iter"

// maxErrors bounds the errors looked at in one tree, so that an error that
// wraps itself cannot hang a worker.
const maxErrors = 1000

// tree yields err and all errors it wraps, in the order of errors.Is: each one
// before those it wraps, joined ones as listed. It does not look into the results of
// a batch's messages.
func tree(err error) iter.Seq[error] {
	return func(yield func(error) bool) {
		left := maxErrors
		walk(err, &left, yield)
	}
}

// walk reports whether to go on.
func walk(err error, left *int, yield func(error) bool) bool {
	for err != nil {
		if *left == 0 {
			return false
		}
		*left--
		if !yield(err) {
			return false
		}
		switch e := err.(type) { //nolint:errorlint // this is what errors.As does
		case *ItemsError:
			return true // results of other messages are no part of this one's
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				if !walk(inner, left, yield) {
					return false
				}
			}
			return true
		default:
			return true
		}
	}
	return true
}

// matches is errors.Is within the bound of tree. The target is one of the
// pointers or empty structs that sentinels are, so that comparing is safe.
func matches(err, target error) bool {
	for e := range tree(err) {
		if e == target { //nolint:errorlint // tree yields wrapped errors one by one
			return true
		}
		if is, ok := e.(interface{ Is(error) bool }); ok && is.Is(target) {
			return true
		}
	}
	return false
}
