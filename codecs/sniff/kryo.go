package sniff

// kryo knows the objects of Kryo 5 (and, not distinguishable, 4) by their class
// name, and its scalars by their id and length.
func kryo(p []byte, found *[]Candidate) {
	if len(p) > 3 && p[0] == 0x01 && p[1] == 0x00 {
		if name, ok := kryoName(p[2:]); ok {
			add(found, "kryo5", Strong, "01 00 and the class name "+name+", as Kryo 5 begins an object (Kryo 4 does too)")
		}
		return
	}
	if why, ok := kryoScalar(p); ok {
		c := Fair
		if len(p) < 3 {
			c = Weak
		}
		add(found, "kryo5", c, why)
		return
	}
	if p[0] > 0x01 && p[0] <= lastScalar && read(kryoRefs, p).verdict == complete {
		add(found, "kryo5", Weak, "reads to its end as Kryo 5 written with useReferences")
	}
}

// lastScalar is the wire id of Double, the last class that Kryo registers.
const lastScalar = 0x0a

// kryoName reads a class name in Kryo's ASCII form, the last byte with bit 7.
func kryoName(p []byte) (string, bool) {
	if p[0] >= 0x80 { // length-prefixed form, for names that are not ASCII
		return "(not ASCII)", p[0] > 0x81 && len(p) > int(p[0]&0x3f)
	}
	for i, c := range p[:min(len(p), 512)] {
		if c >= 0x80 {
			name := append(append([]byte{}, p[:i]...), c&0x7f)
			return string(name), i > 0 && nameByte(c&0x7f) && (className(string(name)) || bareName(name))
		}
		if !nameByte(c) {
			return "", false
		}
	}
	return "", false
}

// bareName accepts classes of the default package: Order.
func bareName(name []byte) bool {
	c := name[0]
	return len(name) > 2 && c >= 'A' && c <= 'Z'
}

// kryoScalar checks the ids of the default registrations against the length.
func kryoScalar(p []byte) (string, bool) {
	rest := p[1:]
	switch p[0] {
	case 0x00:
		return "00 alone is Kryo's null", len(rest) == 0
	case 0x02:
		return "02 and one variable-length number: an Integer of Kryo 5", varint(rest, 5)
	case 0x03:
		return "03 and a string of exactly this length: a String of Kryo 5", kryoString(rest)
	case 0x04:
		return "04 and four bytes: a Float of Kryo 5", len(rest) == 4
	case 0x05:
		return "05 and 0 or 1: a Boolean of Kryo 5", len(rest) == 1 && rest[0] < 2
	case 0x06:
		return "06 and one byte: a Byte of Kryo 5", len(rest) == 1
	case 0x07:
		return "07 and two bytes: a Character of Kryo 5", len(rest) == 2
	case 0x08:
		return "08 and two bytes: a Short of Kryo 5", len(rest) == 2
	case 0x09:
		return "09 and one variable-length number: a Long of Kryo 5", varint(rest, 9)
	case 0x0a:
		return "0a and eight bytes: a Double of Kryo 5", len(rest) == 8
	}
	return "", false
}

// varint reports whether p is exactly one number of 7-bit groups. The ninth
// byte of a long has no continuation bit.
func varint(p []byte, most int) bool {
	if len(p) == 0 || len(p) > most {
		return false
	}
	for i, c := range p {
		last := i == len(p)-1
		if c >= 0x80 == last && i != 8 {
			return false
		}
	}
	return true
}

// kryoString reports whether p is exactly one string of Kryo: ASCII with bit 7
// on its last byte, or a count and as many UTF-16 units.
func kryoString(p []byte) bool {
	if len(p) == 0 {
		return false
	}
	if p[0] < 0x80 {
		for i, c := range p {
			if c >= 0x80 {
				return i == len(p)-1 && i > 0
			}
		}
		return false
	}
	n, p, ok := kryoCount(p)
	if !ok {
		return false
	}
	for range n {
		width := 1
		switch {
		case len(p) == 0:
			return false
		case p[0] >= 0xe0:
			width = 3
		case p[0] >= 0xc0:
			width = 2
		case p[0] >= 0x80:
			return false
		}
		if len(p) < width {
			return false
		}
		p = p[width:]
	}
	return len(p) == 0
}

// kryoCount reads the flagged number before a string: six bits, then groups of
// seven. It returns the units that follow; the count is one more.
func kryoCount(p []byte) (n int, rest []byte, ok bool) {
	n = int(p[0] & 0x3f)
	more := p[0]&0x40 != 0
	p = p[1:]
	for shift := 6; more && shift < 28; shift += 7 {
		if len(p) == 0 {
			return 0, nil, false
		}
		n |= int(p[0]&0x7f) << shift
		more = p[0] >= 0x80
		p = p[1:]
	}
	return max(n-1, 0), p, !more && n-1 <= len(p)
}
