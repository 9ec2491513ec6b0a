package classfile

import (
	"encoding/binary"
	"fmt"
)

// cursor reads big-endian numbers. It keeps the first failure and gives zeros
// from there on, so that callers check once per loop.
type cursor struct {
	data []byte
	base int // offset of data in the file
	at   int
	err  *FormatError
}

func (c *cursor) fail(offset int, format string, args ...any) {
	if c.err == nil {
		c.err = &FormatError{Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
}

// offset is where the next byte stands in the file.
func (c *cursor) offset() int { return c.base + c.at }

// bytes returns the next n bytes of the file itself; nil after a failure.
func (c *cursor) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > len(c.data)-c.at {
		c.fail(c.offset(), "the file ends here, %d more bytes are needed", n-(len(c.data)-c.at))
		return nil
	}
	b := c.data[c.at : c.at+n]
	c.at += n
	return b
}

func (c *cursor) u1() int {
	if b := c.bytes(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (c *cursor) u2() int {
	if b := c.bytes(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (c *cursor) u4() int {
	if b := c.bytes(4); b != nil {
		return int(binary.BigEndian.Uint32(b))
	}
	return 0
}

// part returns a cursor over the next n bytes, and skips them.
func (c *cursor) part(n int) cursor {
	base := c.offset()
	return cursor{data: c.bytes(n), base: base, err: c.err}
}
