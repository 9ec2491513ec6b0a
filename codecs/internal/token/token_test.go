package token_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// items fills a tape with {"items":["a.B",[1,{"price":2}]]}, and returns the index of
// the last value.
func items(t *testing.T, tape *token.Tape) int {
	t.Helper()
	payload := []byte("items a.B price")
	var b token.Builder
	if err := b.Begin(tape, "test", payload, codecs.Limits{}.WithDefaults()); err != nil {
		t.Fatal(err)
	}
	open := func(kind token.Kind) {
		if err := b.Open(kind, 0); err != nil {
			t.Fatal(err)
		}
	}
	open(token.Object)
	b.AddText(token.Key, 0, 0, 0, 5)
	open(token.Array)
	b.AddText(token.String, 0, 6, 6, 3)
	open(token.Array)
	b.Add(token.Int, 10, 1)
	open(token.Object)
	b.AddText(token.Key, 0, 10, 10, 5)
	last := b.Add(token.Int, 10, 2)
	for b.Nest() > 0 {
		b.Close()
	}
	return last
}

// TestPath: where a value stands, with and without the wrappers on the way.
func TestPath(t *testing.T) {
	t.Parallel()
	var tape token.Tape
	last := items(t, &tape)
	if got := tape.Path(last); got != "items[1][1].price" {
		t.Errorf("path %s", got)
	}
	tape.Wrapper = func(tape *token.Tape, i int) bool { return tape.Tokens[i+1].Kind == token.String }
	if got := tape.Path(last); got != "items[1].price" {
		t.Errorf("path %s, with the wrapper told by a function", got)
	}
	tape.Wrapper = nil
	tape.Tokens[2].Flags |= token.FlagWrapper
	if got := tape.Path(last); got != "items[1].price" {
		t.Errorf("path %s, with the wrapper marked", got)
	}
	if got := tape.Path(0); got != "" {
		t.Errorf("path %s of the root", got)
	}
	for i, k := range tape.Tokens {
		if end := int(k.Next); end <= i || end > len(tape.Tokens) {
			t.Errorf("token %d ends at %d", i, end)
		}
	}
	if n := tape.Tokens[0].N; n != 1 {
		t.Errorf("%d members", n)
	}
}

// TestLimits: what is open and what may come are counted; errors name the limit that
// was asked for, and where it was met.
func TestLimits(t *testing.T) {
	t.Parallel()
	asked := codecs.Limits{Bytes: 10, Elements: 2, Depth: 1, StringBytes: 3}
	tape := token.Tape{Asked: asked}
	var b token.Builder
	if err := b.Begin(&tape, "test", make([]byte, 11), asked); err == nil {
		t.Error("too many bytes")
	}
	wide := token.Structure(asked)
	if err := b.Begin(&tape, "test", make([]byte, 10), wide); err != nil {
		t.Fatal(err)
	}
	for range wide.Depth {
		if err := b.Open(token.Array, 1); err != nil {
			t.Fatal(err)
		}
	}
	var d *codecs.DecodeError
	if err := b.Open(token.Array, 7); !errors.As(err, &d) || d.Offset != 7 || d.Path != "[0][0][0][0]" || d.Reason != "nested deeper than 1 (Limits.Depth)" {
		t.Errorf("depth: %#v", err)
	}
	for range wide.Elements {
		if err := b.Element(2); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Element(3); !errors.As(err, &d) || d.Reason != "more than 2 elements (Limits.Elements)" {
		t.Errorf("elements: %v", err)
	}
	if lim := token.Structure(codecs.Limits{Elements: math.MaxInt, Depth: 1}); lim.Elements != math.MaxInt {
		t.Errorf("no limit became %d", lim.Elements)
	}
}

// TestValues: numbers and annotations come back as they were added, and a tape that is
// used again has nothing of the payload before.
func TestValues(t *testing.T) {
	t.Parallel()
	var tape token.Tape
	var b token.Builder
	begin := func() {
		if err := b.Begin(&tape, "test", []byte("1e400"), codecs.Limits{}.WithDefaults()); err != nil {
			t.Fatal(err)
		}
	}
	begin()
	huge := new(big.Int).Lsh(big.NewInt(1), 70)
	at := b.AddBig(0, huge)
	if got := tape.Big(&tape.Tokens[at]); got.Cmp(huge) != 0 || got == huge {
		t.Errorf("%v", got)
	}
	if at = b.AddBig(0, big.NewInt(-5)); tape.Tokens[at].Int() != -5 {
		t.Errorf("small: %v", tape.Tokens[at])
	}
	if at = b.AddNumber(token.Float, 0, 0, 5, 0); !math.IsInf(tape.Float(&tape.Tokens[at]), 1) {
		t.Error("1e400 is not infinite")
	}
	if at = b.AddFloat32(0, 1.5); tape.Float(&tape.Tokens[at]) != 1.5 || tape.Tokens[at].Flags&token.FlagFloat32 == 0 {
		t.Errorf("float: %v", tape.Tokens[at])
	}
	for i := range 40 {
		at = b.Add(token.Null, 0, 0)
		if class := fmt.Sprintf("a.B%d", i); !b.Annotate(at, []byte(class)) || tape.Class(&tape.Tokens[at]) != class {
			t.Errorf("annotation %s is %s", class, tape.Class(&tape.Tokens[at]))
		}
	}
	b.Extra = append(b.Extra, "text"...)
	at = b.AddExtra(token.String, 0, 0, 0)
	if got := string(tape.Text(&tape.Tokens[at])); got != "text" {
		t.Errorf("text %q", got)
	}
	begin()
	if len(tape.Tokens) != 0 || len(tape.Extra) != 0 || len(tape.Types) != 0 || b.Nest() != 0 || b.Parent() != nil {
		t.Errorf("left behind: %+v", tape)
	}
}
