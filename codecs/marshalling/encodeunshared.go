package marshalling

import (
	"strconv"

	"github.com/duequeue/duequeue/codecs/java"
)

// unsharedValue writes the value of an unshared field: in full, with an index that
// nothing refers to. Java counts unshared arrays of primitives when it reads, and
// not when it writes; here they count, as it reads.
func (e *encoder) unsharedValue(v any) error {
	e.unshared = true
	err := e.form(v)
	e.unshared = false
	return err
}

// unsharedValues writes the elements of an unshared array, which are unshared too.
func (e *encoder) unsharedValues(values []any) error {
	for i, v := range values {
		if err := e.unsharedValue(v); err != nil {
			return java.UnderEncode("["+strconv.Itoa(i)+"]", err)
		}
	}
	return nil
}

// unsharedForms is how far the lead bytes of unshared arrays and collections are
// from those of shared ones.
func (e *encoder) unsharedForms() byte {
	if e.unshared {
		return 4
	}
	return 0
}

// mustShare refuses what Java writes in the shared form even in an unshared field,
// and then does not read there.
func (e *encoder) mustShare(what string) error {
	if e.unshared {
		return e.fail("%s in a field that Java declares unshared: Java cannot read it", what)
	}
	return nil
}
