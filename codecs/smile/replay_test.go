package smile

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// replay writes what is on the tape.
func replay(tb testing.TB, g token.Generator, tape *token.Tape) []byte {
	tb.Helper()
	b := codectest.Must(replayed(g, tape))(tb)
	return b
}

func replayed(g token.Generator, tape *token.Tape) ([]byte, error) {
	g.Begin(nil)
	next := 0
	err := replayValue(g, tape, &next)
	return g.End(), err
}

func replayValue(g token.Generator, t *token.Tape, next *int) error {
	k := &t.Tokens[*next]
	*next++
	switch k.Kind {
	case token.Null:
		g.Null()
	case token.Bool:
		g.Bool(k.Bool())
	case token.Int:
		if k.Flags&token.FlagBig != 0 {
			return g.Big(big.NewInt(k.Int()))
		}
		g.Int(k.Int())
	case token.Big:
		return g.Big(t.Big(k))
	case token.Float:
		if k.Flags&token.FlagFloat32 != 0 {
			g.Float32(float32(t.Float(k)))
		} else {
			g.Float64(t.Float(k))
		}
	case token.Decimal:
		return g.Decimal(t.Decimal(k))
	case token.String:
		return g.String(string(t.Text(k)))
	case token.Bytes:
		g.Bytes(t.Text(k))
	case token.Array:
		g.Array(int(k.N))
		for range k.N {
			if err := replayValue(g, t, next); err != nil {
				return err
			}
		}
		g.EndArray()
	case token.Object:
		if err := g.Object("", int(k.N)); err != nil {
			return err
		}
		for range k.N {
			name := &t.Tokens[*next]
			*next++
			if err := g.Key(string(t.Text(name))); err != nil {
				return err
			}
			if err := replayValue(g, t, next); err != nil {
				return err
			}
		}
		g.EndObject()
	default:
		return fmt.Errorf("token of kind %d", k.Kind)
	}
	return nil
}
