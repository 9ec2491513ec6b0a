package databind

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// Format is one way to spell tokens as bytes.
type Format struct {
	// Name is the canonical name of the codec, "cborjackson".
	Name string
	// Tokenize puts one whole payload on the tape, by the builder. It begins with
	// b.Begin(t, name, payload, lim) and adds all tokens of the root value, or
	// returns a [*codecs.DecodeError]. It never panics, whatever the payload.
	Tokenize func(b *token.Builder, t *token.Tape, payload []byte, lim codecs.Limits, r *Rules) error
	// Generator returns a new generator that follows the rules.
	Generator func(r *Rules) token.Generator
	// BinaryUUID says that Java writes a UUID to this format as its 16 bytes, most
	// significant first, in every place, and not as text: CBOR, Smile and Ion,
	// whose generators take binary as it is. The codecs of Jackson 3 always do; those
	// of Jackson 2 write text since Redisson 4.2.
	BinaryUUID bool
}
