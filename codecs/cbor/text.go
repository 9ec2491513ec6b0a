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
			text, wrong := javatext.AppendText(nil, r.Extra[from:])
			if wrong >= 0 {
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
	from, wrong := len(r.Extra), 0
	if r.Extra, wrong = javatext.AppendText(r.Extra, r.in[off:r.pos]); wrong >= 0 {
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
