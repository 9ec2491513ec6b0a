package kryo5

import "encoding/binary"

// uv32 reads an unsigned varint of at most 5 bytes. Java's reader also accepts
// surplus zero groups and surplus bits; no Java writer makes them, so they mean
// that the bytes are something else.
func (d *decoder) uv32() (uint32, error) {
	if d.at < len(d.in) && d.in[d.at] < 0x80 {
		d.at++
		return uint32(d.in[d.at-1]), nil
	}
	return d.longUV32()
}

// longUV32 reads a varint of several bytes.
func (d *decoder) longUV32() (uint32, error) {
	v, n := binary.Uvarint(d.in[d.at:min(len(d.in), d.at+5)])
	if n <= 0 || v > 0xffffffff || d.in[d.at+n-1] == 0 {
		return d.uv32Rest(0, 0, 0) // which says what is wrong
	}
	d.at += n
	return uint32(v), nil
}

// uv32Rest reads the 7-bit groups of an unsigned varint of which some bits and
// bytes are already read.
func (d *decoder) uv32Rest(value uint32, shift, used int) (uint32, error) {
	start := d.at
	for n := used; ; n++ {
		b, err := d.byte()
		if err != nil {
			return 0, err
		}
		switch {
		case uint64(b&0x7f)<<shift > 0xffffffff || n == 4 && b >= 0x80:
			return 0, d.fault(start, "a varint has more than 32 bits")
		case b == 0 && n > 0:
			return 0, d.fault(start, "a varint has surplus bytes")
		}
		value |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return value, nil
		}
		shift += 7
	}
}

// uv64 reads an unsigned varint of at most 9 bytes, the ninth with 8 bits.
func (d *decoder) uv64() (uint64, error) {
	var v uint64
	for n, b := range d.in[d.at:] {
		switch {
		case b == 0 && n > 0:
			return 0, d.fault(d.at, "a varint has surplus bytes")
		case n == 8:
			d.at += 9
			return v | uint64(b)<<56, nil
		}
		v |= uint64(b&0x7f) << (7 * n & 63)
		if b < 0x80 {
			d.at += n + 1
			return v, nil
		}
	}
	return 0, d.ended()
}

func (d *decoder) zz32() (int32, error) {
	u, err := d.uv32()
	return int32(u>>1) ^ -int32(u&1), err
}

func (d *decoder) zz64() (int64, error) {
	u, err := d.uv64()
	return int64(u>>1) ^ -int64(u&1), err
}

// flagged reads a varint whose first byte carries a flag in bit 7, the
// continuation in bit 6 and six bits of value.
func (d *decoder) flagged() (value uint32, flag bool, err error) {
	if d.at >= len(d.in) {
		return 0, false, d.ended()
	}
	b := d.in[d.at]
	d.at++
	value, flag = uint32(b&0x3f), b >= 0x80
	if b&0x40 != 0 {
		value, err = d.uv32Rest(value, 6, 1)
	}
	return value, flag, err
}

func appendUV32(dst []byte, v uint32) []byte { return binary.AppendUvarint(dst, uint64(v)) }

func appendUV64(dst []byte, v uint64) []byte {
	for range 8 {
		if v < 0x80 {
			return append(dst, byte(v))
		}
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

func appendZZ32(dst []byte, v int32) []byte { return appendUV32(dst, uint32(v<<1)^uint32(v>>31)) }

func appendZZ64(dst []byte, v int64) []byte { return appendUV64(dst, uint64(v<<1)^uint64(v>>63)) }

func appendFlagged(dst []byte, v uint32, flag bool) []byte {
	first := byte(v & 0x3f)
	if flag {
		first |= 0x80
	}
	if v < 0x40 {
		return append(dst, first)
	}
	return appendUV32(append(dst, first|0x40), v>>6)
}
