package cbor

import (
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// chunks appends the chunks of an indefinite text or byte string to Extra and
// returns where they begin.
func (r *reader) chunks(at int, major byte) (from int, err error) {
	from = len(r.Extra)
	for !r.broken() {
		h, err := r.head()
		if err != nil {
			return 0, err
		}
		if h.major() != major || h.indefinite() {
			return 0, r.Fail(h.at, "byte 0x%02x begins no chunk of what began at byte %d", h.first, at)
		}
		if err := r.room(h.at, h.arg, "a chunk"); err != nil {
			return 0, err
		}
		end := r.pos + int(h.arg) // checked
		r.Extra = append(r.Extra, r.in[r.pos:end]...)
		r.pos = end
		if major == majorText && len(r.Extra)-from > r.Limits().StringBytes {
			return 0, r.StringTooLong(at)
		}
	}
	return from, nil
}

// text reads a text. Java takes surrogates in three bytes, too: a pair of them
// becomes the character it stands for, a lone one stays.
func (r *reader) text(at int, h head, kind token.Kind) error {
	if h.indefinite() {
		from, err := r.chunks(at, majorText)
		if err != nil {
			return err
		}
		if !utf8.Valid(r.Extra[from:]) {
			text, ok := appendText(nil, r.Extra[from:])
			if !ok {
				return r.notUTF8(at)
			}
			r.Extra = append(r.Extra[:from], text...)
		}
		r.AddExtra(kind, 0, at, from)
		return nil
	}
	if err := r.room(at, h.arg, "text"); err != nil {
		return err
	}
	off, n := r.pos, int(h.arg) // checked
	if n > r.Limits().StringBytes {
		return r.StringTooLong(at)
	}
	r.pos += n
	if utf8.Valid(r.in[off:r.pos]) {
		r.AddText(kind, 0, at, off, n)
		return nil
	}
	from := len(r.Extra)
	extra, ok := appendText(r.Extra, r.in[off:r.pos])
	if r.Extra = extra; !ok {
		return r.notUTF8(at)
	}
	r.AddExtra(kind, 0, at, from)
	return nil
}

func (r *reader) notUTF8(at int) error { return r.Fail(at, "text that is not UTF-8") }

// bytes reads a byte string, or a key that is one: Java makes a String of it.
func (r *reader) bytes(at int, h head, kind token.Kind) error {
	if h.indefinite() {
		from, err := r.chunks(at, majorBytes)
		if err != nil {
			return err
		}
		if kind == token.Key {
			r.Extra = append(r.Extra[:from], javatext.DecodeUTF8(r.Extra[from:])...)
		}
		r.AddExtra(kind, 0, at, from)
		return nil
	}
	if err := r.room(at, h.arg, "a byte string"); err != nil {
		return err
	}
	off, n := r.pos, int(h.arg) // checked
	r.pos += n
	if kind == token.Key && !utf8.Valid(r.in[off:r.pos]) {
		from := len(r.Extra)
		r.Extra = append(r.Extra, javatext.DecodeUTF8(r.in[off:r.pos])...)
		r.AddExtra(kind, 0, at, from)
		return nil
	}
	r.AddText(kind, 0, at, off, n)
	return nil
}

// appendText appends text whose surrogates may have three bytes, as Java's UTF-8
// decoders take them. It reports false for what is no such text.
func appendText(dst, text []byte) ([]byte, bool) {
	for len(text) > 0 {
		if c, n := utf8.DecodeRune(text); c != utf8.RuneError || n > 1 {
			dst = append(dst, text[:n]...)
			text = text[n:]
			continue
		}
		unit, ok := javatext.Surrogate(string(text[:min(3, len(text))]))
		if !ok {
			return dst, false
		}
		dst, text = appendSurrogate(dst, unit, text[:3]), text[3:]
	}
	return dst, true
}

// appendSurrogate appends a surrogate, or makes a character of it and the high one
// at the end of dst.
func appendSurrogate(dst []byte, unit uint16, three []byte) []byte {
	if n := len(dst); unit >= 0xDC00 && n >= 3 {
		if high, ok := javatext.Surrogate(string(dst[n-3:])); ok && high < 0xDC00 {
			return utf8.AppendRune(dst[:n-3], 0x10000+rune(high-0xD800)<<10+rune(unit-0xDC00))
		}
	}
	return append(dst, three...)
}
