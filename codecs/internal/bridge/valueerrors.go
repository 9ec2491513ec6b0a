package bridge

import (
	"fmt"
	"reflect"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
)

// Misfit is the error for a decoded value of a class, "" for null, that does not go into Go
// type t. Like all errors of conversions it has no codec: see [Named].
func Misfit(class string, t reflect.Type, reason string) error {
	return &codecs.DecodeError{Class: class, Offset: -1, Reason: fmt.Sprintf("does not go into Go type %s: %s", t, reason)}
}

// under puts part before the path of the typed error in err.
func under(part string, err error) error {
	return errpath.UnderEncode(part, errpath.UnderDecode(part, err))
}
