package serial

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
)

// Unwritable adds to err, which Describe gave for v, why a list or map of a user's
// class cannot be written: the stream describes that class, and says what it adds
// to the JDK's, which only a payload tells.
func Unwritable(v any, err error) error {
	switch v.(type) {
	case *java.List, *java.Map:
	default:
		return err
	}
	if Known(java.ClassOf(v)) != nil || formDesc(v) != nil {
		return err
	}
	return fmt.Errorf("%w: it is no list, set or map of the JDK, and what a class of your own adds to one is known only of decoded values; "+
		"it can be read into this type, and to be written the type must name the class it extends, such as java.util.ArrayList", err)
}
