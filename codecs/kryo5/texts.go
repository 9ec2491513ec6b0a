package kryo5

import (
	"encoding/binary"
	"math"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// text reads a string inside another value, which cannot be null.
func (d *decoder) text() (string, error) {
	start := d.at
	s, null, err := d.string()
	if err == nil && null {
		err = d.fault(start, "found null where the class has a text")
	}
	return s, err
}

func readText(d *decoder, c *class, _ *layout.Type) (any, error) {
	s, null, err := d.string()
	if null || err != nil {
		return nil, err
	}
	return java.Text{Class: c.name, Value: s}, nil
}

func writeText(e *encoder, _ *class, v java.Text) error { return e.string(v.Value) }

func readStateless(_ *decoder, c *class, _ *layout.Type) (any, error) {
	return &java.Object{Class: c.name}, nil
}

func writeStateless(_ *encoder, c *class, v *java.Object) error {
	if v == nil || len(v.Fields) > 0 {
		return encodeFault(v, "a %s has no fields", c.name)
	}
	return nil
}

func (d *decoder) uuid() (java.UUID, error) {
	var v java.UUID
	for i := range 2 {
		half, err := d.fixed64()
		if err != nil {
			return v, err
		}
		binary.BigEndian.PutUint64(v[8*i:], half)
	}
	return v, nil
}

func writeUUID(e *encoder, _ *class, v java.UUID) error {
	e.out = binary.LittleEndian.AppendUint64(e.out, binary.BigEndian.Uint64(v[:8]))
	e.out = binary.LittleEndian.AppendUint64(e.out, binary.BigEndian.Uint64(v[8:]))
	return nil
}

func (d *decoder) locale() (java.Locale, error) {
	var v java.Locale
	for _, part := range []*string{&v.Language, &v.Country, &v.Variant} {
		s, err := d.text()
		if err != nil {
			return v, err
		}
		*part = s
	}
	return v, nil
}

// writeLocale writes what Kryo carries of a locale.
func writeLocale(e *encoder, _ *class, v java.Locale) error {
	e.out = appendClassName(appendClassName(e.out, v.Language), v.Country)
	return e.string(v.Variant)
}

func (d *decoder) pattern() (java.Pattern, error) {
	regex, err := d.text()
	if err != nil {
		return java.Pattern{}, err
	}
	flags, err := d.uv32()
	return java.Pattern{Regex: regex, Flags: int32(flags)}, err
}

func writePattern(e *encoder, _ *class, v java.Pattern) error {
	if err := e.string(v.Regex); err != nil {
		return err
	}
	e.out = appendUV32(e.out, uint32(v.Flags))
	return nil
}

// oldFields is a class of which Kryo writes the fields, as it does without a serializer of
// Redisson's.
func oldFields(t *jdk.Type) class {
	return class{
		name: t.Class,
		read: func(d *decoder, _ *class, _ *layout.Type) (any, error) {
			values := make([]any, len(t.Fields))
			for i, f := range t.Fields {
				var err error
				switch f.Like.(type) {
				case int32:
					values[i], err = d.zz32()
				case int64:
					values[i], err = d.zz64()
				default:
					values[i], err = d.text()
				}
				if err != nil {
					return nil, err
				}
			}
			return t.From(values), nil
		},
		write: func(e *encoder, c *class, v any, _ *layout.Type) error {
			if jdk.Of(v) != t {
				return wrongKind(c, v)
			}
			for _, value := range t.Values(v) {
				switch value := value.(type) {
				case int32:
					e.out = appendZZ32(e.out, value)
				case int64:
					e.out = appendZZ64(e.out, value)
				case string:
					if err := e.string(value); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

func (d *decoder) bitSet() (*java.BitSet, error) {
	start := d.at
	n, err := d.uv32()
	if err != nil {
		return nil, err
	}
	if int64(n) > int64(d.remaining()/8) {
		return nil, d.fault(start, "%d words do not fit into the %d bytes left", n, d.remaining())
	}
	v := &java.BitSet{Words: make([]uint64, n)}
	for i := range v.Words {
		if v.Words[i], err = d.fixed64(); err != nil {
			return nil, err
		}
	}
	if n > 0 && v.Words[n-1] == 0 {
		return nil, d.fault(start, "a BitSet ends in a word without bits")
	}
	return v, nil
}

// writeBitSet writes the words up to the last bit that is set, as Java keeps them.
func writeBitSet(e *encoder, c *class, v *java.BitSet) error {
	if v == nil {
		return wrongKind(c, v)
	}
	words := v.Words
	for len(words) > 0 && words[len(words)-1] == 0 {
		words = words[:len(words)-1]
	}
	if len(words) > math.MaxInt32/64 {
		return tooLong(c)
	}
	e.out = appendUV32(e.out, uint32(len(words)))
	for _, w := range words {
		e.out = binary.LittleEndian.AppendUint64(e.out, w)
	}
	return nil
}

// readClassRef reads the class that a java.lang.Class is.
func readClassRef(d *decoder, _ *class, _ *layout.Type) (any, error) {
	c, err := d.anyClass()
	if c == nil || err != nil {
		return nil, err
	}
	if !wrapped(c) {
		return java.ClassRef(c.name), nil
	}
	start := d.at
	primitive, err := d.flag()
	if err == nil && c.name == "void" && !primitive {
		err = d.fault(start, "void is a primitive")
	}
	if err != nil {
		return nil, err
	}
	if primitive && c.id != 0 {
		for name, id := range primitiveIDs {
			if id == c.id {
				return java.ClassRef(name), nil
			}
		}
	}
	return java.ClassRef(c.name), nil
}

// wrapped reports whether a flag behind the class tells the primitive from its
// wrapper.
func wrapped(c *class) bool {
	return c.id != 0 && c.id < idEnd && c.id != idString || c.name == "void"
}

func writeClassRef(e *encoder, _ *class, v java.ClassRef) error {
	id, primitive := primitiveIDs[string(v)]
	if primitive {
		e.out = append(e.out, byte(id), 1)
		return nil
	}
	if v == "" {
		return encodeFault(v, "a java.lang.Class without a name")
	}
	c := e.world.must(string(v))
	if err := e.class(c); err != nil {
		return err
	}
	if wrapped(c) {
		e.out = append(e.out, flagByte(c.name == "void"))
	}
	return nil
}
