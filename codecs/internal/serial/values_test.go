package serial_test

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// carried is a Go type that a codec carries.
type carried struct {
	typ     reflect.Type
	binding codecs.Binding
}

// read decodes a payload that may be anything: an error is a DecodeError with a reason, and
// what comes of it is written to bytes that give the same again.
func (c *carried) read(tb testing.TB, payload []byte) {
	tb.Helper()
	v := reflect.New(c.typ)
	if err := c.binding.Decode(payload, v.Interface()); err != nil {
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Reason == "" || e.Offset > len(payload) {
			tb.Fatalf("%x into %s: the error is %v, want a DecodeError with a reason and a place in the payload", payload, c.typ, err)
		}
		return
	}
	c.write(tb, v.Elem().Interface())
}

// write encodes a value, nil where that cannot be written. What comes of the bytes is
// written to bytes that give the same again; what an any held may be a Java value then.
func (c *carried) write(tb testing.TB, v any) []byte {
	tb.Helper()
	const before = "before"
	payload, err := c.binding.Append([]byte(before), v)
	if err != nil {
		var e *codecs.EncodeError
		if !errors.As(err, &e) || string(payload) != before {
			tb.Fatalf("%s: the error is %v beside %q, want an EncodeError, and no more bytes", c.typ, err, payload)
		}
		return nil
	}
	first := payload[len(before):]
	second := c.again(tb, first)
	if third := c.again(tb, second); !bytes.Equal(third, second) {
		tb.Fatalf("%s: %s became\n%x,\n%x and\n%x", c.typ, view.Of(v), first, second, third)
	}
	return first
}

// again decodes a payload and encodes what came of it.
func (c *carried) again(tb testing.TB, payload []byte) []byte {
	tb.Helper()
	v := reflect.New(c.typ)
	err := c.binding.Decode(payload, v.Interface())
	if err == nil {
		var out []byte
		if out, err = c.binding.Append(nil, v.Elem().Interface()); err == nil {
			return out
		}
	}
	tb.Fatalf("%s: %x does not come back: %v", c.typ, payload, err)
	return nil
}

// newRandom makes values of the Go types, with parts that occur more than once.
func newRandom(seed uint64) *codectest.Random {
	r := codectest.NewRandom(seed, map[reflect.Type]func(r *codectest.Random) any{
		reflect.TypeFor[Color](): func(r *codectest.Random) any { return []string{"RED", "GREEN", "BLUE"}[r.IntN(3)] },
	})
	r.Share = true
	r.Any = append(r.Any, int8(3), int16(300), float32(1.5), java.Char('x'), 7, math.NaN(), []string{"a"}, map[string]string{"a": "b"}, Item{SKU: "s"},
		(*Item)(nil), map[string]any(nil), []any(nil), time.UnixMilli(5).UTC(), java.UUIDOf(1, 2), []byte{1}, []int32{1, 2},
		java.BigDecimal{Unscaled: big.NewInt(5), Scale: 1}, big.NewInt(7), Color("RED"), java.Date{Class: java.ClassDate, Millis: 5},
		java.Enum{Class: "demo.Color", Name: "RED"},
		&java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: int32(1), Value: "x"}}}, &java.List{Class: "java.util.LinkedList"})
	return r
}

// TestValues carries random values of many types, what comes of their bytes when some are
// changed, and what Java wrote, whatever type it goes into.
func TestValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *stream) {
		vectors := s.vectors(t)
		values, mutated := codectest.Count(8, 96), codectest.Count(1, 24)
		for n, typ := range goTypes {
			t.Run(typ.String(), func(t *testing.T) {
				t.Parallel()
				r := newRandom(uint64(n))
				c := &carried{typ, bind(t, s.New(small), typ)}
				wrote := 0
				for i := range values {
					r.Odd = i%4 == 3
					payload := c.write(t, r.Value(typ))
					if payload == nil {
						continue
					}
					if wrote++; wrote <= mutated {
						for changed := range r.Changed(payload, 40) {
							c.read(t, changed)
						}
					}
				}
				if 2*wrote < values {
					t.Errorf("%d of %d values were written", wrote, values)
				}
				for _, v := range vectors {
					if v.Name != "laughs" { // it unfolds to a tree of 2^30 lists
						c.read(t, v.Payload)
					}
				}
			})
		}
	})
}

func fuzz(f *testing.F, s *stream) {
	f.Helper()
	codec := s.New(small)
	r := newRandom(4)
	var all []*carried
	for _, t := range goTypes {
		c := &carried{t, bind(f, codec, t)}
		all = append(all, c)
		if payload, err := c.binding.Append(nil, r.Value(t)); err == nil {
			f.Add(payload)
		}
	}
	for _, v := range s.vectors(f) {
		if v.Name != "laughs" && len(v.Payload) < 16<<10 {
			f.Add(v.Payload)
		}
	}
	f.Add(s.order(f))
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range all {
			v := reflect.New(c.typ).Interface()
			codectest.Allocates(t, payload, func() { _ = c.binding.Decode(payload, v) })
			c.read(t, payload)
		}
	})
}

// FuzzRiver and FuzzJavaIO read bytes of the fuzzer into Go types, in memory that their
// size bounds.
func FuzzRiver(f *testing.F)  { fuzz(f, river) }
func FuzzJavaIO(f *testing.F) { fuzz(f, javaIO) }
