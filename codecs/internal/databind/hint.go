package databind

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// hint adds to an error what the payload as a whole tells of its cause: bytes of
// another codec are often well-formed here, and then say nothing but that a kind is
// wrong somewhere.
func (c *Codec) hint(payload []byte, err error) error {
	var e *codecs.DecodeError
	if !errors.As(err, &e) {
		return err
	}
	r, openErr := c.open(payload, false, nil)
	if openErr != nil {
		return err // it says more
	}
	defer r.close()
	if !c.rules.Types && r.namesClasses() {
		e.Reason += fmt.Sprintf("; the payload names Java classes, which %s never does: another codec may have written it", c.Name())
	}
	if r.more {
		e.Reason += "; bytes follow the value: another codec may have written them"
	}
	return err
}

// namesClasses reports whether the root names its class.
func (r *reader) namesClasses() bool {
	k := &r.tape.Tokens[0]
	switch {
	case k.Type != 0:
		return true
	case k.Kind == token.Object && k.N > 0:
		return string(r.tape.Text(&r.tape.Tokens[1])) == classKey
	default:
		return k.Kind == token.Array && wrapperLike(&r.tape, 0)
	}
}
