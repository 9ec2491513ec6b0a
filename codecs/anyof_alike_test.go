package codecs_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
)

type measure struct {
	Name   string             `java:"name"`
	Value  float64            `java:"value"`
	Series []float64          `java:"series"`
	Limits map[string]float32 `java:"limits"`
	Next   *measure           `java:"next"`
}

func (measure) JavaClass() string { return "com.acme.Measure" }

// TestAnyOfNaN: readings that hold the same NaN are equal, wherever it stands.
func TestAnyOfNaN(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	value := measure{
		Name: "a", Value: nan, Series: []float64{1, nan}, Limits: map[string]float32{"low": float32(nan)},
		Next: &measure{Value: nan},
	}
	for _, c := range []*codecs.Alternatives{
		codecs.AnyOf(compress.LZ4(kryo5.New()), compress.LZ4V2(kryo5.New())),
		codecs.AnyOf(jackson.JsonJackson(), jackson.JsonJackson3()),
		codecs.AnyOf(cbor.Jackson(), cbor.Jackson3()),
	} {
		typed := codectest.Typed[measure](t, c)
		payload := codectest.Must(typed.Encode(value))(t)
		got, err := typed.Decode(payload)
		if err != nil || got.Next == nil || got.Next.Value == got.Next.Value || got.Series[0] != 1 || got.Limits["low"] == got.Limits["low"] {
			t.Errorf("%s: %+v, %v", c.Name(), got, err)
		}
	}
}

// TestAnyOfDiffers: beside a NaN everything still has to be equal.
func TestAnyOfDiffers(t *testing.T) {
	t.Parallel()
	list := func(elements ...any) *java.List { return &java.List{Elements: elements} }
	entry := func(key string, value any) *java.Map {
		return &java.Map{Entries: []java.Entry{{Key: key, Value: value}}}
	}
	self := func(v any) *java.List {
		l := list(math.NaN(), v)
		l.Elements = append(l.Elements, l)
		return l
	}
	for name, c := range map[string]struct {
		a, b any
		same bool
	}{
		"number":        {math.NaN(), 1.0, false},
		"width":         {math.NaN(), float32(math.NaN()), false},
		"null":          {math.NaN(), nil, false},
		"length":        {list(math.NaN()), list(math.NaN(), 1), false},
		"element":       {list(math.NaN(), "a"), list(math.NaN(), "b"), false},
		"key":           {entry("a", math.NaN()), entry("b", math.NaN()), false},
		"nil":           {(*java.List)(nil), list(math.NaN()), false},
		"Go map, key":   {map[string]any{"a": math.NaN()}, map[string]any{"b": math.NaN()}, false},
		"Go map":        {map[string]any{"a": math.NaN()}, map[string]any{"a": math.NaN()}, true},
		"array":         {[2]float64{math.NaN(), 1}, [2]float64{math.NaN(), 1}, true},
		"itself":        {self("a"), self("a"), true},
		"itself, other": {self("a"), self("b"), false},
	} {
		t.Run(name, func(t *testing.T) {
			either := codecs.AnyOf(says{c.a}, says{c.b})
			_, err := either.Decode(nil)
			var ambiguous *codecs.AmbiguousError
			if errors.As(err, &ambiguous) == c.same || c.same && err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// says is a codec that reads the same value in every payload.
type says struct{ value any }

func (s says) Name() string               { return "says" }
func (s says) Decode([]byte) (any, error) { return s.value, nil }
func (s says) Encode(any) ([]byte, error) { return nil, nil }
func (s says) WritesEmpty() bool          { return true }
func (s says) Limits() codecs.Limits      { return codecs.Limits{} }
func (s says) Bind(reflect.Type, codecs.BindOptions) (codecs.Binding, error) {
	return nil, errors.New("not bound")
}
