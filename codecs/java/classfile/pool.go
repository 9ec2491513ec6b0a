package classfile

import (
	"encoding/binary"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// Tags of constant pool entries, JVM specification 4.4.
const (
	tagUtf8        = 1
	tagInteger     = 3
	tagFloat       = 4
	tagLong        = 5
	tagDouble      = 6
	tagClass       = 7
	tagString      = 8
	tagField       = 9
	tagMethod      = 10
	tagInterface   = 11
	tagNameAndType = 12
	tagDynamic     = 18 // a call by invokedynamic
)

// tagSizes are the bytes after the tag; those of Utf8 follow a length.
var tagSizes = [21]int{
	tagInteger: 4, tagFloat: 4, tagLong: 8, tagDouble: 8, tagClass: 2, tagString: 2, tagField: 4, tagMethod: 4,
	tagInterface: 4, tagNameAndType: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2,
}

// pool is the constant pool: where each entry stands. Entries are read when they
// are used, into the cursor of whoever asks.
type pool struct {
	data    []byte
	offsets []int32  // of the tags; 0 for what is no entry
	texts   []string // what text and class have read already
}

// readPool reads the positions of all entries.
func readPool(c *cursor) pool {
	at := c.offset()
	count := c.u2()
	if c.err != nil || count == 0 {
		c.fail(at, "the constant pool has no entries")
		return pool{}
	}
	// No entry takes less than three bytes: a count cannot make the slice long.
	if 3*((count-1)/2) > len(c.data)-c.at {
		c.fail(at, "%d constants cannot stand in the %d bytes that follow", count, len(c.data)-c.at)
		return pool{}
	}
	p := pool{data: c.data, offsets: make([]int32, count), texts: make([]string, count)}
	for i := 1; i < count && c.err == nil; i++ {
		at := c.at
		p.offsets[i] = int32(at)
		tag := c.u1()
		switch {
		case tag == tagUtf8:
			c.bytes(c.u2())
		case tag < len(tagSizes) && tagSizes[tag] > 0:
			c.bytes(tagSizes[tag])
		case c.err == nil:
			c.fail(at, "constant %d has the unknown tag %d", i, tag)
		}
		if tag == tagLong || tag == tagDouble {
			i++ // these take two places
		}
	}
	return p
}

// entry returns what follows the tag of entry i, which must have that tag.
func (p *pool) entry(c *cursor, i, tag int) []byte {
	if c.err != nil {
		return nil
	}
	if i <= 0 || i >= len(p.offsets) || p.offsets[i] == 0 || int(p.data[p.offsets[i]]) != tag {
		c.fail(c.offset(), "constant %d is not one with tag %d", i, tag)
		return nil
	}
	return p.data[p.offsets[i]+1:]
}

// text returns Utf8 entry i as UTF-8.
func (p *pool) text(c *cursor, i int) string {
	return p.once(c, i, tagUtf8, func(b []byte) string {
		s, err := serial.String(b[2 : 2+int(binary.BigEndian.Uint16(b))])
		if err != nil {
			c.fail(int(p.offsets[i]), "constant %d is no valid text", i)
		}
		return s
	})
}

// class returns the name in Class entry i with dots.
func (p *pool) class(c *cursor, i int) string {
	return p.once(c, i, tagClass, func(b []byte) string {
		name := strings.ReplaceAll(p.text(c, int(binary.BigEndian.Uint16(b))), "/", ".")
		if c.err == nil && (name == "" || strings.ContainsAny(name, ";\x00") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".")) {
			c.fail(int(p.offsets[i]), "constant %d: %q is no class name", i, clip(name))
		}
		return name
	})
}

// once returns what read makes of entry i, which must have that tag; "" after a failure.
func (p *pool) once(c *cursor, i, tag int, read func(b []byte) string) string {
	b := p.entry(c, i, tag)
	if b == nil {
		return ""
	}
	if p.texts[i] == "" {
		p.texts[i] = read(b)
	}
	return p.texts[i]
}

// member returns class, name and descriptor of Field or Method entry i.
func (p *pool) member(c *cursor, i, tag int) (class, name, descriptor string) {
	b := p.entry(c, i, tag)
	if b == nil {
		return "", "", ""
	}
	class = p.class(c, int(binary.BigEndian.Uint16(b)))
	b = p.entry(c, int(binary.BigEndian.Uint16(b[2:])), tagNameAndType)
	if b == nil {
		return "", "", ""
	}
	return class, p.text(c, int(binary.BigEndian.Uint16(b))), p.text(c, int(binary.BigEndian.Uint16(b[2:])))
}

// literal returns an Integer, Long, String or Class entry, nil for others.
func (p *pool) literal(i int) any {
	if n, ok := p.integer(i); ok {
		return n
	}
	var probe cursor
	if b := p.entry(&probe, i, tagString); b != nil {
		if text := p.text(&probe, int(binary.BigEndian.Uint16(b))); probe.err == nil {
			return text
		}
	}
	probe = cursor{}
	if class := p.class(&probe, i); probe.err == nil {
		return ClassValue{Class: class}
	}
	return nil
}

// integer returns Integer or Long entry i; false for entries of other kinds.
func (p *pool) integer(i int) (int64, bool) {
	if i <= 0 || i >= len(p.offsets) || p.offsets[i] == 0 {
		return 0, false
	}
	b := p.data[p.offsets[i]:]
	switch b[0] {
	case tagInteger:
		return int64(int32(binary.BigEndian.Uint32(b[1:]))), true
	case tagLong:
		return int64(binary.BigEndian.Uint64(b[1:])), true
	}
	return 0, false
}
