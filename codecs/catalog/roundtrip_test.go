package catalog_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/view"
)

// carrier is a codec that is tried with random values.
type carrier struct {
	name, since string
	references  bool
	limits      codecs.Limits
}

// told is a mapper with all that concerns numbers, names and enums.
var told = jackson.Mapper{Dates: jackson.DateTexts, TimeZone: "Asia/Shanghai", LongAsText: true, Naming: jackson.KebabCase, Enums: jackson.EnumOrdinals}

// carriers are all codecs that write beans, with the releases and options between which they differ.
func carriers() []carrier {
	wrapped := told
	wrapped.Typing = jackson.NonFinal
	withDates := func(d jackson.Dates) string { return "jsonjackson+" + jackson.Mapper{Dates: d}.Text() }
	return []carrier{
		{name: "kryo5"},
		{name: "kryo5", since: "3.19.0"},
		{name: "kryo5", references: true},
		{name: "marshalling"},
		{name: "serialization"},
		{name: "jsonjackson"},
		{name: "jsonjackson", since: "3.11.5"},
		{name: "jsonjackson", since: "4.7.0"},
		{name: withDates(jackson.Timestamps)},
		{name: withDates(jackson.DateTexts)},
		{name: "jsonjackson3"},
		{name: "typedjsonjackson"},
		{name: "typedjsonjackson3"},
		{name: "cborjackson"},
		{name: "cborjackson", since: "4.7.0"},
		{name: "cborjackson3"},
		{name: "msgpackjackson"},
		{name: "smilejackson"},
		{name: "smilejackson3"},
		{name: "ionjackson"},
		{name: "ionjackson", since: "3.12.0"},
		{name: "ionjackson3"},
		{name: "jsonjackson+" + told.Text()},
		{name: "typedjsonjackson+" + told.Text()},
		{name: "typedjsonjackson+" + wrapped.Text()},
		{name: "jsonjackson", limits: codecs.Limits{Elements: 30, Depth: 5, Bytes: 2000, StringBytes: 40}},
	}
}

// onJackson reports whether a codec is one of Jackson's. Some of what these write Java cannot read, and
// the codec neither.
func (c carrier) onJackson() bool { return strings.Contains(c.name, "jackson") }

// stream reports whether a codec is one of Java's object streams, which keep what is shared.
func (c carrier) stream() bool { return c.name == "marshalling" || c.name == "serialization" }

func (c carrier) types() []reflect.Type {
	types := slices.Clone(carriedTypes)
	if c.name != "marshalling" {
		types = append(types, recordTypes...)
	}
	switch {
	case c.onJackson():
		types = append(types, jacksonTypes...)
	case c.name == "kryo5":
		types = append(types, reflect.TypeFor[Unusual]())
	}
	return types
}

// carried is a Go type bound to a codec.
type carried struct {
	carrier
	typ   reflect.Type
	bound codecs.Binding
}

// bind binds a codec to all its types.
func (c carrier) bind(tb testing.TB) (all []carried) {
	tb.Helper()
	codec := codectest.Must(catalog.FindWith(c.name, catalog.Options{Since: c.since, References: c.references, Limits: c.limits}))(tb)
	for _, typ := range c.types() {
		bound, err := codec.Bind(typ, options(typ))
		if err != nil {
			tb.Errorf("%s: %v", typ, err)
			continue
		}
		all = append(all, carried{c, typ, bound})
	}
	return all
}

// write encodes a value behind other bytes; nil where that cannot be written.
func (c *carried) write(tb testing.TB, v any) []byte {
	tb.Helper()
	const before = "before"
	payload, err := c.bound.Append([]byte(before), v)
	if err != nil {
		c.checkEncodeError(tb, err)
		return nil
	}
	return payload[len(before):]
}

func (c *carried) checkEncodeError(tb testing.TB, err error) {
	tb.Helper()
	var e *codecs.EncodeError
	if !errors.As(err, &e) || e.Reason == "" {
		tb.Fatalf("%s: %T %v, want an EncodeError with a reason", c.typ, err, err)
	}
}

// read decodes a payload, which stays as it is and of which nothing is kept; nil where it is none.
func (c *carried) read(tb testing.TB, payload []byte, written bool) any {
	tb.Helper()
	given, to := bytes.Clone(payload), reflect.New(c.typ)
	err := c.bound.Decode(given, to.Interface())
	if !bytes.Equal(given, payload) {
		tb.Fatalf("%s: reading changed the payload %q", c.typ, payload)
	}
	for i := range given {
		given[i] = 'X'
	}
	if err == nil {
		return to.Interface()
	}
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Reason == "" && e.Err == nil || e.Offset > len(payload) {
		tb.Fatalf("%s from %x: %T %v, want a DecodeError with a reason and a place in the payload", c.typ, payload, err, err)
	}
	if written && !c.onJackson() {
		tb.Fatalf("%s: %x does not come back: %v", c.typ, payload, err)
	}
	return nil
}

// again reads a payload and, if it is one, writes what it read, several times: the last two times give
// the same. With Jackson, a payload that was changed may hold texts that are written like the name of a
// class; of the streams the first one may hold Java values where Go types have others.
func (c *carried) again(tb testing.TB, payload []byte, written bool) {
	tb.Helper()
	last, passes := payload, 2
	if c.stream() {
		passes = 3
	}
	for pass := range passes {
		v := c.read(tb, last, written || pass > 0)
		if v == nil {
			return
		}
		out, err := c.bound.Append(nil, reflect.ValueOf(v).Elem().Interface())
		switch {
		case err != nil:
			c.checkEncodeError(tb, err)
			return
		case pass == passes-1 && (written || !c.onJackson()) && !bytes.Equal(out, last):
			tb.Fatalf("%s: %s from %x: written\n%x,\nread and written again\n%x", c.typ, view.Of(v), payload, last, out)
		}
		last = out
	}
}

// newRandom returns a generator of the same values each time.
func newRandom(seed uint64) *random { return &random{Rand: rand.New(rand.NewPCG(1, seed))} }

// TestRandomValues carries random values of many types by all codecs, what comes of their bytes when
// some are changed, and what Java wrote, whatever type it goes into.
func TestRandomValues(t *testing.T) {
	t.Parallel()
	values, changes := codectest.Count(8, 48), codectest.Count(1, 10)
	for _, c := range carriers() {
		t.Run(c.name+" "+c.since, func(t *testing.T) {
			t.Parallel()
			fromJava := wroteByJava(t, c.name)
			for n, one := range c.bind(t) {
				r, wrote := newRandom(uint64(n)), 0
				r.share = c.references || c.stream()
				for i := range values {
					r.odd = i%3 == 0
					payload := one.write(t, r.value(one.typ))
					if payload == nil {
						continue
					}
					one.again(t, payload, true)
					if wrote++; wrote <= changes {
						for changed := range r.changed(payload, 30) {
							one.again(t, changed, false)
						}
					}
				}
				if wrote == 0 && c.limits.Bytes == 0 && one.typ != reflect.TypeFor[Other]() { // of which no value can be
					t.Errorf("%s: no value was written", one.typ)
				}
				for _, payload := range fromJava {
					one.again(t, payload, false)
				}
			}
		})
	}
}

// wroteByJava are payloads of Java's object streams.
func wroteByJava(tb testing.TB, name string) (all [][]byte) {
	tb.Helper()
	files, column := map[string][]string{"marshalling": {"legacy", "samples"}, "serialization": {"vectors", "samples"}}[name], 1
	if name == "marshalling" {
		column = 2
	}
	for _, file := range files {
		for _, row := range codectest.Rows(tb, "../"+name+"/testdata/"+file+".tsv") {
			// One unfolds to a tree of 2^30 lists.
			if len(row) > column && row[column-1] != "laughs" && (column == 1 || strings.HasPrefix(row[0], "river")) {
				all = append(all, codectest.FromHex(tb, row[column]))
			}
		}
	}
	return all
}

// FuzzTyped reads bytes of the fuzzer by each format as every type, and holds the memory
// that one reading takes to what the bytes and the element budget justify.
func FuzzTyped(f *testing.F) {
	all := map[string][]carried{}
	for _, name := range []string{"jsonjackson", "cborjackson", "msgpackjackson", "smilejackson", "ionjackson", "marshalling", "serialization"} {
		all[name] = carrier{name: name, limits: codecs.Limits{Elements: 1 << 12, Depth: 64}}.bind(f)
		r := newRandom(4)
		for _, one := range all[name] {
			if payload := one.write(f, r.value(one.typ)); payload != nil {
				f.Add(name, payload)
			}
		}
		for _, payload := range wroteByJava(f, name) {
			if len(payload) < 16<<10 {
				f.Add(name, payload)
			}
		}
		if text, err := os.ReadFile("../" + name + "/testdata/bench/order.hex"); err == nil {
			f.Add(name, codectest.FromHex(f, string(text)))
		}
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		for _, one := range all[name] {
			one.again(t, payload, false)
			v := reflect.New(one.typ).Interface()
			codectest.Allocates(t, payload, func() { _ = one.bound.Decode(payload, v) })
		}
	})
}
