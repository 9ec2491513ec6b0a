package smile

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

var (
	jackson2 = &databind.Rules{Jackson: 2, Types: true}
	jackson3 = &databind.Rules{Jackson: 3}
)

// tokenize puts payload on a tape of its own.
func tokenize(payload []byte, lim codecs.Limits, rules *databind.Rules) (*token.Tape, error) {
	tape := new(token.Tape)
	err := tokenizer(Name)(new(token.Builder), tape, payload, lim.WithDefaults(), rules)
	return tape, err
}

// replay writes what is on the tape.
func replay(tb testing.TB, g token.Generator, tape *token.Tape) []byte {
	tb.Helper()
	b, err := replayed(g, tape)
	if err != nil {
		tb.Fatal(err)
	}
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

// dump renders what is on the tape as the Java programs do: one line for each token.
func dump(t *token.Tape) string {
	var b strings.Builder
	next := 0
	dumpValue(&b, t, &next)
	return b.String()
}

func dumpValue(b *strings.Builder, t *token.Tape, next *int) {
	k := &t.Tokens[*next]
	*next++
	switch k.Kind {
	case token.Null:
		b.WriteString("null\n")
	case token.Bool:
		fmt.Fprintf(b, "%t\n", k.Bool())
	case token.Int:
		c := "i"
		if k.Flags&token.FlagBig != 0 {
			c = "n"
		}
		fmt.Fprintf(b, "%s:%d\n", c, k.Int())
	case token.Big:
		fmt.Fprintf(b, "n:%s\n", t.Big(k))
	case token.Float:
		if k.Flags&token.FlagFloat32 != 0 {
			fmt.Fprintf(b, "f:%x\n", math.Float32bits(float32(t.Float(k))))
		} else {
			fmt.Fprintf(b, "d:%x\n", math.Float64bits(t.Float(k)))
		}
	case token.Decimal:
		d := t.Decimal(k)
		fmt.Fprintf(b, "D:%s %d\n", d.Unscaled, d.Scale)
	case token.String:
		fmt.Fprintf(b, "s:%s\n", t.Text(k))
	case token.Bytes:
		fmt.Fprintf(b, "b:%x\n", t.Text(k))
	case token.Array:
		b.WriteString("[\n")
		for range k.N {
			dumpValue(b, t, next)
		}
		b.WriteString("]\n")
	case token.Object:
		b.WriteString("{\n")
		for range k.N {
			fmt.Fprintf(b, "k:%s\n", t.Text(&t.Tokens[*next]))
			*next++
			dumpValue(b, t, next)
		}
		b.WriteString("}\n")
	default:
		fmt.Fprintf(b, "kind %d\n", k.Kind)
	}
}
