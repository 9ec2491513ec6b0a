package databind

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// Format is one way to spell tokens as bytes.
type Format struct {
	// Name is the canonical name of the codec, "cborjackson".
	Name string
	// Tokenize adds all tokens of a payload's value to the tape, by the builder, and
	// returns where the value ends, with what Java passes over behind it, or a
	// [*codecs.DecodeError]. It never panics, whatever the payload.
	Tokenize func(b *token.Builder, payload []byte, r *Rules) (end int, err error)
	// Generator returns a new generator that follows the rules.
	Generator func(r *Rules) token.Generator
	// BinaryUUID says that Java writes a UUID to this format as its 16 bytes, most
	// significant first, in every place, and not as text: CBOR, Smile and Ion,
	// whose generators take binary as it is. The codecs of Jackson 3 always do; those
	// of Jackson 2 write text since Redisson 4.2.
	BinaryUUID bool
}

// Tape puts payload on the tape and keeps limits, which may be those that
// [token.Structure] makes.
func (c *Codec) Tape(b *token.Builder, t *token.Tape, payload []byte, lim codecs.Limits) error {
	_, err := c.tokenize(b, t, payload, lim)
	return err
}

// tokenize is Tape, and reports whether bytes follow the value.
func (c *Codec) tokenize(b *token.Builder, t *token.Tape, payload []byte, lim codecs.Limits) (more bool, err error) {
	if err := b.Begin(t, c.Name(), payload, lim); err != nil {
		return false, err
	}
	end, err := c.format.Tokenize(b, payload, &c.rules)
	if more = end < len(payload); err == nil && more && c.rules.Strict() {
		err = b.Fail(end, "%d bytes behind the value", len(payload)-end)
	}
	return more, err
}
