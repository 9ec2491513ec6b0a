package sniff

import (
	"bytes"

	"github.com/duequeue/duequeue/codecs/internal/databind"
)

// magics knows the formats that name themselves.
func magics(p []byte, found *[]Candidate) {
	switch {
	case prefix(p, "\xac\xed\x00\x05"):
		why := "begins with ac ed 00 05, the magic of a java.io object stream"
		if r := read("serialization", p); r.verdict == complete {
			why += "; it reads to its end, as " + r.what
		} else if r.verdict == refused {
			why += "; but it does not read to its end"
		}
		add(found, "serialization", Certain, why)
	case prefix(p, ":)\n") && len(p) > 3 && p[3]>>4 == 0:
		smileHeader(p, found)
	case prefix(p, "\xe0\x01\x00\xea"):
		add(found, "ionjackson", Fair, "begins with e0 01 00 ea, the version marker of binary Ion; Redisson itself writes Ion as text")
	}
}

// smileHeader tells the codecs of Smile apart: smilejackson alone names classes.
func smileHeader(p []byte, found *[]Candidate) {
	const why = "begins with 3a 29 0a, the header of Smile"
	const object, array, classKey = 0xfa, 0xf8, "\x85@class"
	const neither = ", and a value whose class neither of the codecs of Smile names"
	switch {
	case len(p) > 5 && p[4] == object && prefix(p[5:], classKey), len(p) > 5 && p[4] == array && smileClass(p[5:]):
		add(found, "smilejackson", Certain, why+", and names a class"+ending("smilejackson", p))
	case len(p) > 5 && p[4] == object:
		add(found, "smilejackson3", Strong, why+", and an object that names no class")
		add(found, "smilejackson", Strong, why+"; an object that names no class may be one of a final class")
	default:
		add(found, "smilejackson", Strong, why+neither+ending("smilejackson", p))
		add(found, "smilejackson3", Strong, why+neither)
	}
}

// smileClass reports whether p begins with the name of a class and something after it
// in the array: ASCII, of up to 64 bytes with its length, or up to a byte fc.
func smileClass(p []byte) bool {
	const short, long, end, arrayEnd = 0x40, 0xe0, 0xfc, 0xf9
	switch c := p[0]; {
	case c >= short && c < 2*short:
		n := int(c-short) + 1
		return len(p) > n+1 && p[n+1] != arrayEnd && databind.TypeID(string(p[1:1+n]))
	case c == long:
		n := bytes.IndexByte(p[:min(len(p), 512)], end)
		return n > 1 && len(p) > n+1 && p[n+1] != arrayEnd && databind.TypeID(string(p[1:n]))
	}
	return false
}

func prefix(p []byte, s string) bool { return len(p) >= len(s) && string(p[:len(s)]) == s }

// fory knows the header bytes of Fury and Fory, which are refused by name.
func fory(p []byte, found *[]Candidate) {
	if len(p) < 3 {
		return
	}
	for _, h := range []struct {
		head, codec, why string
	}{
		{"\x00\xff", "fory", "begins with 00 ff, the header of Fory 0.17 and later"},
		{"\x02\xff", "fory", "begins with 02 ff, the header of Fury and Fory up to 0.16"},
		{"\x01\xff", "fory", "begins with 01 ff, the cross-language header of Fory"},
		{"\xd4\x62", "fory", "begins with d4 62, the cross-language header of Fury"},
	} {
		if prefix(p, h.head) {
			add(found, h.codec, Fair, h.why+"; no Go library reads it")
		}
	}
}

// river knows the version byte of JBoss Marshalling and the tags that may
// follow it at the root.
func river(p []byte, found *[]Candidate) {
	if len(p) < 2 || p[0] < 0x02 || p[0] > 0x04 {
		return
	}
	c := Confidence(0)
	switch tag := p[1]; {
	case (tag == 0x04 || tag == 0x09) && (len(p) > 6 && bytes.IndexByte(p[2:7], 0x3e) >= 0 || looksClass(p)):
		c = Strong
	case len(p) > mostRead || read("marshalling", p).verdict == complete:
		c = Weak
	}
	judge(found, "marshalling", c, "begins with a version of JBoss River (02 to 04) and one of its tags", p)
}

// looksClass reports whether the head of p holds a dotted name.
func looksClass(p []byte) bool {
	run, dots := 0, 0
	for _, c := range p[:min(len(p), 80)] {
		switch {
		case c == '.':
			dots++
			run++
		case nameByte(c):
			run++
		default:
			run, dots = 0, 0
		}
		if run >= 6 && dots > 0 {
			return true
		}
	}
	return false
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '.' || c == '[' || c == ';'
}

// fst has no magic: short forms of its own registry.
func fstTags(p []byte, found *[]Candidate) {
	const why = "its first bytes fit FST, which has no magic"
	switch c := p[0]; {
	case c == 0xfc && len(p) > 1 && int(p[1]) < 0x80 && len(p) == 2+int(p[1]):
		judge(found, "fst", Fair, "fc, a length and exactly as many bytes: a String of FST", p)
	case c == 0 && fstName(p):
		judge(found, "fst", Strong, "00 01, a length and a class name: an object of FST", p)
	case c == 0 && len(p) > 2, c >= 0xef:
		judge(found, "fst", Weak, why, p)
	}
}

// fstName reports whether a class name of exactly its length stands where FST
// writes one.
func fstName(p []byte) bool {
	if len(p) < 4 || p[1] != 0x01 || p[2] == 0 || p[2] > 0x7f {
		return false
	}
	n := int(p[2])
	return len(p) >= 3+n && classLike(string(p[3:3+n]))
}
