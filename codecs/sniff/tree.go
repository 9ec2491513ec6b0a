package sniff

import (
	"encoding/json"

	"github.com/duequeue/duequeue/codecs/internal/databind"
)

// ending says whether a payload reads to its end.
func ending(codec string, p []byte) string {
	switch r := read(codec, p); r.verdict {
	case complete:
		return "; it reads to its end"
	case refused, needsClass:
		return "; but it does not read to its end"
	case unread:
	}
	return ""
}

// trees knows what CBOR, MessagePack and Ion hold without any class name, because it
// reads to its end.
func trees(p []byte, found *[]Candidate) {
	if r := read("cborjackson3", p); r.verdict == complete {
		switch major := p[0] >> 5; {
		case (major == 4 || major == 5) && len(p) >= 4:
			add(found, "cborjackson3", Fair, "a CBOR map or array without class names, of exactly this length")
			add(found, "cborjackson", Weak, "a CBOR map or array without class names: Java writes it for final classes")
		case !readable(p):
			add(found, "cborjackson", Weak, "CBOR of exactly this length, a "+r.what)
			add(found, "cborjackson3", Weak, "CBOR of exactly this length, a "+r.what)
		}
	}
	if r := read("msgpackjackson", p); r.verdict == complete && !readable(p) {
		c := Weak
		if len(p) >= 4 && (p[0] >= 0x80 && p[0] < 0xa0 || p[0] >= 0xdc && p[0] < 0xe0) {
			c = Fair
		}
		add(found, "msgpackjackson", c, "MessagePack of exactly this length, a "+r.what)
	}
	ionTree(p, found)
}

// ionTree knows Ion text that is no JSON: names without quotes, bytes in double braces.
func ionTree(p []byte, found *[]Candidate) {
	if p[0] != '{' && p[0] != '[' || len(p) > most || json.Valid(p) {
		return
	}
	if r := read("ionjackson", p); r.verdict == complete {
		add(found, "ionjackson", Fair, "Ion text that is no JSON and reads to its end")
	}
}

// cborTree knows CBOR with Java classes: an indefinite map whose first key is
// "@class", an indefinite array whose first element is a class.
func cborTree(p []byte, found *[]Candidate) {
	switch {
	case prefix(p, "\xbf\x66@class"), prefix(p, "\xa1\x66@class"):
		add(found, "cborjackson", Strong, `a CBOR map that begins with "@class"`+ending("cborjackson", p))
	case p[0] == 0x9f || p[0] == 0x82:
		if s, _, ok := cborText(p[1:]); ok && databind.TypeID(s) {
			add(found, "cborjackson", Strong, "a CBOR array that begins with the Java class "+s+ending("cborjackson", p))
		}
	default:
		if _, rest, ok := cborText(p); ok && len(rest) == 0 && len(p) > 1 {
			add(found, "cborjackson", Weak, "a CBOR text of exactly this length")
		}
	}
}

// msgpackTree is cborTree for MessagePack.
func msgpackTree(p []byte, found *[]Candidate) {
	var body []byte
	switch {
	case p[0]&0xf0 == 0x80:
		body = p[1:]
	case p[0] == 0xde && len(p) > 3:
		body = p[3:]
	case p[0] == 0x92:
		if s, _, ok := msgpackText(p[1:]); ok && databind.TypeID(s) {
			add(found, "msgpackjackson", Strong, "a MessagePack array that begins with the Java class "+s+ending("msgpackjackson", p))
		}
		return
	default:
		if _, rest, ok := msgpackText(p); ok && len(rest) == 0 && len(p) > 1 {
			add(found, "msgpackjackson", Weak, "a MessagePack string of exactly this length")
		}
		return
	}
	if prefix(body, "\xa6@class") {
		add(found, "msgpackjackson", Strong, `a MessagePack map that begins with "@class"`+ending("msgpackjackson", p))
	}
}

// msgpackText reads a MessagePack string of up to 255 bytes.
func msgpackText(p []byte) (s string, rest []byte, ok bool) { return shortText(p, 0xa0, 32, 0xd9) }

// cborText reads a CBOR text of up to 255 bytes.
func cborText(p []byte) (s string, rest []byte, ok bool) { return shortText(p, 0x60, 24, 0x78) }

// shortText reads a text: its length is within the first byte, one of the few from short on,
// or in the byte after long.
func shortText(p []byte, short, few, long byte) (s string, rest []byte, ok bool) {
	var n int
	switch {
	case len(p) > 0 && p[0] >= short && p[0] < short+few:
		n, p = int(p[0]-short), p[1:]
	case len(p) > 1 && p[0] == long:
		n, p = int(p[1]), p[2:]
	default:
		return "", nil, false
	}
	if n > len(p) {
		return "", nil, false
	}
	return string(p[:n]), p[n:], true
}
