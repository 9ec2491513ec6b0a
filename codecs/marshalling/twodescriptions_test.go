package marshalling

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestTwoDescriptions refuses objects of one class with two descriptions: River
// writes the first one, and readers would take the second object for another.
func TestTwoDescriptions(t *testing.T) {
	t.Parallel()
	object := func(flags byte, fields ...java.SerialField) *java.Object {
		return &java.Object{Class: "demo.A", Serial: &java.Serial{Class: "demo.A", Flags: flags, Fields: fields}}
	}
	a, b := java.SerialField{Name: "a", Signature: "I"}, java.SerialField{Name: "b", Signature: "Ljava/lang/String;"}
	boxed, alone, whole := b, b, b
	boxed.Signature, alone.Unshared, whole.Signature = "Ljava/lang/Object;", true, "J"
	first := object(2, a, b)
	for _, c := range []struct {
		label  string
		second *java.Object
		fits   bool
	}{
		{"the same", object(2, a, b), true},
		{"in another order", object(2, b, a), true},
		{"with another object type", object(2, a, boxed), true},
		{"with one field", object(2, a), false},
		{"with another primitive", object(2, a, whole), false},
		{"with an unshared field", object(2, a, alone), false},
		{"with a writeObject method", object(3, a, b), false},
	} {
		t.Run(c.label, func(t *testing.T) {
			payload, err := New().Encode([]any{first, c.second})
			var e *codecs.EncodeError
			switch {
			case c.fits && err != nil:
				t.Errorf("%s: %v", c.label, err)
			case !c.fits && (!errors.As(err, &e) || !strings.Contains(e.Reason, "described in two ways")):
				t.Errorf("%s: %x, %v", c.label, payload, err)
			}
		})
	}
}
