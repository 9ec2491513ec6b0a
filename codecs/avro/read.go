package avro

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// reader reads one payload.
type reader struct {
	serial.Reader
	bare bool
}

func (r *reader) value(n *node) (any, error) {
	switch n.kind {
	case null:
		return nil, nil
	case boolean:
		b, err := r.Take(1)
		if err != nil {
			return nil, err
		}
		if b[0] > 1 {
			return nil, r.Fail(r.At-1, "byte %#02x is no boolean", b[0])
		}
		return b[0] == 1, nil
	case integer:
		return r.integer(n)
	case long:
		v, err := r.varint(64)
		if n.form == formDate {
			return java.Date{Class: dateClass(n.class), Millis: v}, err
		}
		return v, err
	case float:
		b, err := r.Take(4)
		if err != nil {
			return nil, err
		}
		return math.Float32frombits(binary.LittleEndian.Uint32(b)), nil
	case double:
		b, err := r.Take(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil
	case text:
		return r.text(n)
	case data:
		b, err := r.sized("bytes")
		if err != nil {
			return nil, err
		}
		return r.bytes(n, b)
	case fixed:
		b, err := r.Take(n.size)
		if err != nil {
			return nil, err
		}
		return r.bytes(n, b)
	case enum:
		return r.enum(n)
	default:
		return r.container(n)
	}
}

// container reads a value that holds others.
func (r *reader) container(n *node) (any, error) {
	if err := r.Enter(r.At); err != nil {
		return nil, err
	}
	defer r.Leave()
	switch n.kind {
	case record:
		return r.record(n)
	case array:
		return r.array(n)
	case mapping:
		return r.mapping(n)
	default:
		return r.union(n)
	}
}

// dateClass returns the class that a date is given: the schema may name one that
// has no values of its own.
func dateClass(class string) string {
	switch class {
	case "java.sql.Timestamp", "java.sql.Date":
		return class
	}
	return java.ClassDate
}

// varint reads a whole number of 32 or 64 bits.
func (r *reader) varint(bits int) (int64, error) {
	start := r.At
	u, n := binary.Uvarint(r.In[start:])
	switch {
	case n == 0:
		return 0, r.Fail(len(r.In), "the payload ends within a number")
	case n < 0:
		return 0, r.Fail(start, "a number of more than 64 bits")
	}
	r.At += n
	v := int64(u>>1) ^ -int64(u&1)
	if bits == 32 && v != int64(int32(v)) {
		return 0, r.Fail(start, "%d is beyond an int", v)
	}
	return v, nil
}

func (r *reader) integer(n *node) (any, error) {
	start := r.At
	v, err := r.varint(32)
	if err != nil {
		return nil, err
	}
	var out any
	var fits bool
	switch n.form {
	case formByte:
		out, fits = int8(v), v == int64(int8(v))
	case formShort:
		out, fits = int16(v), v == int64(int16(v))
	case formChar:
		out, fits = java.Char(v), v == int64(java.Char(v))
	default:
		return int32(v), nil
	}
	if !fits {
		return nil, r.Fail(start, "%d is beyond a %s", v, n.class)
	}
	return out, nil
}

// sized reads a length and that many bytes.
func (r *reader) sized(what string) ([]byte, error) {
	start := r.At
	n, err := r.varint(64)
	switch {
	case err != nil:
		return nil, err
	case n < 0 || n > int64(r.Remaining()):
		return nil, r.Fail(start, "%s of %d bytes, %d are left", what, n, r.Remaining())
	case n > int64(r.Limits.StringBytes):
		return nil, r.Fail(start, "%s of %d bytes, the limit is %d (Limits.StringBytes)", what, n, r.Limits.StringBytes)
	}
	return r.Take(int(n))
}

func (r *reader) string() (string, error) {
	b, err := r.sized("string")
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", r.Fail(r.At-len(b), "a string that is not UTF-8")
	}
	return string(b), nil
}

// maxDigits bounds the text of a number: reading n digits takes more than linear time.
const maxDigits = 10_000

// isoDate is how Jackson 3 spells a java.util.Date.
const isoDate = "2006-01-02T15:04:05.000Z07:00"

func (r *reader) text(n *node) (any, error) {
	start := r.At
	s, err := r.string()
	if err != nil || n.form == formKind {
		return s, err
	}
	if len(s) > maxDigits {
		return nil, r.Fail(start, "a number or date of %d characters, %d are the most", len(s), maxDigits)
	}
	switch n.form {
	case formISO:
		t, err := time.Parse(isoDate, s)
		if err != nil {
			return nil, r.Fail(start, "no date as Jackson 3 spells it, 2024-01-02T03:04:05.678Z")
		}
		return java.Date{Class: java.ClassDate, Millis: t.UnixMilli()}, nil
	case formBigDecimal:
		d, err := java.ParseBigDecimal(s)
		if err != nil {
			return nil, r.Fail(start, "no decimal number")
		}
		return d, nil
	default:
		i, ok := new(big.Int).SetString(s, 10)
		if !ok {
			return nil, r.Fail(start, "no whole number")
		}
		return i, nil
	}
}

// bytes returns what b, the contents of a bytes or fixed, stands for.
func (r *reader) bytes(n *node, b []byte) (any, error) {
	switch n.form {
	case formUUID:
		return java.UUID(b), nil
	case formDecimal:
		if len(b) == 0 {
			return nil, r.Fail(r.At, "a decimal without bytes")
		}
		return java.BigDecimal{Unscaled: jdk.SignedInteger(b), Scale: n.scale}, nil
	default:
		return append([]byte{}, b...), nil
	}
}

func (r *reader) enum(n *node) (any, error) {
	start := r.At
	i, err := r.varint(64)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= int64(len(n.symbols)) {
		return nil, r.Fail(start, "constant %d of %s, which has %d", i, n, len(n.symbols))
	}
	if n.form == formName {
		return n.symbols[i], nil
	}
	return java.Enum{Class: n.name, Name: n.symbols[i], Ordinal: int(i)}, nil
}

func (r *reader) record(n *node) (any, error) {
	o := &java.Object{Class: n.name}
	if r.bare {
		o.Class = ""
	}
	if err := r.Charge(r.At, len(n.fields), 0); err != nil {
		return nil, err
	}
	o.Fields = make([]java.Field, 0, len(n.fields))
	for i := range n.fields {
		f := &n.fields[i]
		v, err := r.value(f.node)
		if err != nil {
			return nil, errpath.UnderDecode(errpath.Key(f.name), err)
		}
		o.Fields = append(o.Fields, java.Field{Name: f.name, Value: v})
	}
	if n.form != formMap {
		return o, nil
	}
	m := &java.Map{Class: java.ClassHashMap, Entries: make([]java.Entry, len(o.Fields))}
	for i, f := range o.Fields {
		m.Entries[i] = java.Entry{Key: f.Name, Value: f.Value}
	}
	return m, nil
}

// blocks reads the blocks of an array or map; read reads one item.
func (r *reader) blocks(read func(i int) error) error {
	for i := 0; ; {
		start := r.At
		count, err := r.varint(64)
		if err != nil || count == 0 {
			return err
		}
		if count < 0 { // the bytes of the block stand before it
			if count == math.MinInt64 {
				return r.Fail(start, "a block of %d items", count)
			}
			count = -count
			var size int64
			if size, err = r.varint(64); err != nil {
				return err
			}
			if size < 0 || size > int64(r.Remaining()) {
				return r.Fail(start, "a block of %d bytes, %d are left", size, r.Remaining())
			}
		}
		if err = r.Charge(start, int(min(count, math.MaxInt)), 0); err != nil {
			return err
		}
		for range count {
			if err := read(i); err != nil {
				return err
			}
			i++
		}
	}
}

func (r *reader) array(n *node) (any, error) {
	l := &java.List{Class: java.ClassArrayList}
	err := r.blocks(func(i int) error {
		v, err := r.value(n.elem)
		if err != nil {
			return errpath.UnderDecode(fmt.Sprintf("[%d]", i), err)
		}
		l.Elements = append(l.Elements, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (r *reader) mapping(n *node) (any, error) {
	m := &java.Map{Class: java.ClassHashMap}
	seen := map[string]int{}
	err := r.blocks(func(int) error {
		key, err := r.string()
		if err != nil {
			return err
		}
		v, err := r.value(n.elem)
		if err != nil {
			return errpath.UnderDecode(errpath.Key(key), err)
		}
		if at, twice := seen[key]; twice { // the last one counts, as in Java
			m.Entries[at].Value = v
			return nil
		}
		seen[key] = len(m.Entries)
		m.Entries = append(m.Entries, java.Entry{Key: key, Value: v})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (r *reader) union(n *node) (any, error) {
	start := r.At
	i, err := r.varint(64)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= int64(len(n.types)) {
		return nil, r.Fail(start, "branch %d of a union of %d", i, len(n.types))
	}
	return r.value(n.types[i])
}
