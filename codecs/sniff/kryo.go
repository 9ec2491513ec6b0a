package sniff

import "github.com/duequeue/duequeue/codecs/internal/databind"

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
			return string(name), i > 0 && nameByte(c&0x7f) && (databind.TypeID(string(name)) || bareName(name))
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

// kryoScalars say what the ids of the default registrations begin.
var kryoScalars = [lastScalar + 1]string{
	0x00: "00 alone is Kryo's null",
	0x02: "02 and one variable-length number: an Integer of Kryo 5",
	0x03: "03 and a string of exactly this length: a String of Kryo 5",
	0x04: "04 and four bytes: a Float of Kryo 5",
	0x05: "05 and 0 or 1: a Boolean of Kryo 5",
	0x06: "06 and one byte: a Byte of Kryo 5",
	0x07: "07 and two bytes: a Character of Kryo 5",
	0x08: "08 and two bytes: a Short of Kryo 5",
	0x09: "09 and one variable-length number: a Long of Kryo 5",
	0x0a: "0a and eight bytes: a Double of Kryo 5",
}

// kryoScalar reports whether a payload is a scalar of Kryo 5.
func kryoScalar(p []byte) (string, bool) {
	if p[0] > lastScalar || kryoScalars[p[0]] == "" {
		return "", false
	}
	return kryoScalars[p[0]], read("kryo5", p).verdict == complete
}
