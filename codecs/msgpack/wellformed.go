package msgpack

import (
	"encoding/binary"
	"fmt"

	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"github.com/duequeue/duequeue/codecs"
)

// frame is a container that is open.
type frame struct {
	left   uint32 // elements or members still to come
	object bool
	value  bool // of an object: the value of the member is next
}

// pass goes over the raw bytes of one value before anything else does: afterwards
// it is known to be whole and within the limits, and how many tokens it takes. It
// visits each byte of a head once and steps over texts.
type pass struct {
	b      []byte
	lim    codecs.Limits
	pos    int
	tokens int
	left   int // elements that may still come
	stack  []frame
}

// fault says what is wrong with the value whose head is at a byte.
type fault struct {
	at     int
	reason string
	limit  string // see [codecs.DecodeError]
}

func (p *pass) fail(at int, format string, args ...any) *fault {
	return &fault{at: at, reason: fmt.Sprintf(format, args...)}
}

// run returns nil if the payload begins with a value that is well-formed.
func (p *pass) run() *fault {
	p.left = p.lim.Elements
	p.stack = p.stack[:0]
	for {
		if f := p.head(); f != nil {
			return f
		}
		for len(p.stack) > 0 && p.stack[len(p.stack)-1].left == 0 {
			p.stack = p.stack[:len(p.stack)-1]
		}
		if len(p.stack) == 0 {
			return nil
		}
	}
}

// head goes over the head at p.pos and the text behind it.
func (p *pass) head() *fault {
	at := p.pos
	if at >= len(p.b) {
		return p.fail(at, "the payload ends where a value should begin")
	}
	key := p.step()
	k := &kinds[p.b[at]]
	p.pos++
	p.tokens++
	size := uint64(k.fixed)
	if k.length > 0 {
		if len(p.b)-p.pos < int(k.length) {
			return p.cut(at)
		}
		size = number(p.b[p.pos:], k.length)
		p.pos += int(k.length)
	}
	if key && !k.key {
		return p.fail(at, "%s as the key of a map: Java reads strings, numbers, booleans and binary there", k.name)
	}
	switch k.class {
	case classInvalid:
		return p.fail(at, "byte 0x%02x begins no value", p.b[at])
	case classExt:
		size++ // its type
	case classArray, classMap:
		return p.open(at, size, k.class == classMap)
	case classString:
		if size > uint64(p.lim.StringBytes) {
			return p.fail(at, "string of %d bytes, the limit is %d (Limits.StringBytes)", size, p.lim.StringBytes)
		}
	case classScalar, classBytes:
	}
	if uint64(len(p.b)-p.pos) < size {
		return p.cut(at)
	}
	p.pos += int(size) // no more than what is left
	return nil
}

func (p *pass) cut(at int) *fault {
	return p.fail(at, "the payload ends within %s", kinds[p.b[at]].name)
}

// step takes one value off the open container, and reports whether it is a key.
func (p *pass) step() (key bool) {
	if len(p.stack) == 0 {
		return false
	}
	top := &p.stack[len(p.stack)-1]
	if top.object && !top.value {
		top.value = true
		return true
	}
	top.value = false
	top.left--
	return false
}

// open begins a container of n elements or members, which must have room in what is
// left of the payload.
func (p *pass) open(at int, n uint64, object bool) *fault {
	least := n
	if object {
		least *= 2
	}
	switch {
	case least > uint64(len(p.b)-p.pos):
		return p.fail(at, "%s that is said to be longer than the %d bytes that are left", kinds[p.b[at]].name, len(p.b)-p.pos)
	case n > uint64(p.left): // never negative
		return &fault{at: at, limit: "Elements", reason: fmt.Sprintf("more than %d elements (Limits.Elements)", p.lim.Elements)}
	case len(p.stack) >= p.lim.Depth:
		return p.fail(at, "nested deeper than %d (Limits.Depth)", p.lim.Depth)
	}
	p.left -= int(n)                                                  // no more than what is left
	p.stack = append(p.stack, frame{left: uint32(n), object: object}) // lengths have 32 bits
	return nil
}

func number(b []byte, length uint8) uint64 {
	switch length {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	}
	return uint64(binary.BigEndian.Uint32(b))
}

// class says what follows a head.
type class uint8

const (
	classInvalid class = iota
	classScalar        // as many bytes as the head says
	classString
	classBytes
	classExt
	classArray
	classMap
)

// kind is what the first byte of a value says.
type kind struct {
	class  class
	length uint8 // bytes of the length that follows
	fixed  uint8 // the length, where the first byte says it
	key    bool  // Java takes it for the key of a map
	name   string
}

var kinds = func() (t [256]kind) {
	for c := range 256 {
		code := byte(c)
		switch {
		case msgpcode.IsFixedNum(code):
			t[c] = kind{class: classScalar, key: true, name: "a number"}
		case msgpcode.IsFixedString(code):
			t[c] = kind{class: classString, fixed: code & msgpcode.FixedStrMask, key: true, name: "a string"}
		case msgpcode.IsFixedArray(code):
			t[c] = kind{class: classArray, fixed: code & msgpcode.FixedArrayMask, name: "an array"}
		case msgpcode.IsFixedMap(code):
			t[c] = kind{class: classMap, fixed: code & msgpcode.FixedMapMask, name: "a map"}
		}
	}
	scalar := func(code, size byte, key bool, name string) {
		t[code] = kind{class: classScalar, fixed: size, key: key, name: name}
	}
	scalar(msgpcode.Nil, 0, false, "nil")
	scalar(msgpcode.False, 0, true, "a boolean")
	scalar(msgpcode.True, 0, true, "a boolean")
	scalar(msgpcode.Float, 4, true, "a float")
	scalar(msgpcode.Double, 8, true, "a float")
	for i := range byte(4) {
		scalar(msgpcode.Uint8+i, 1<<i, true, "a number")
		scalar(msgpcode.Int8+i, 1<<i, true, "a number")
	}
	for i, code := range []byte{msgpcode.FixExt1, msgpcode.FixExt2, msgpcode.FixExt4, msgpcode.FixExt8, msgpcode.FixExt16} {
		t[code] = kind{class: classExt, fixed: 1 << i, name: "an extension type"}
	}
	for i := range byte(3) {
		length := uint8(1) << i
		t[msgpcode.Str8+i] = kind{class: classString, length: length, key: true, name: "a string"}
		t[msgpcode.Bin8+i] = kind{class: classBytes, length: length, key: true, name: "binary"}
		t[msgpcode.Ext8+i] = kind{class: classExt, length: length, name: "an extension type"}
	}
	for i := range byte(2) {
		t[msgpcode.Array16+i] = kind{class: classArray, length: 2 << i, name: "an array"}
		t[msgpcode.Map16+i] = kind{class: classMap, length: 2 << i, name: "a map"}
	}
	return t
}()
