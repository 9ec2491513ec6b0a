package databind

import (
	"github.com/duequeue/duequeue/codecs/internal/memory"
	"github.com/duequeue/duequeue/codecs/internal/token"
)

// is reports whether the text of k is s.
func (r *reader) is(k *token.Token, s string) bool {
	return int(k.Len) == len(s) && string(r.tape.Text(k)) == s
}

// Strings of one payload share memory: one allocation for several of them. A string
// that is kept keeps at most maxChunk bytes of its siblings.
const (
	minChunk  = 64
	maxChunk  = 256
	maxShared = 64 // longer strings have their own memory
)

// text returns the text of k as a separate string.
func (r *reader) text(k *token.Token) string {
	b := r.tape.Text(k)
	switch {
	case len(b) > maxShared:
		return string(b)
	case len(b) == 0:
		return ""
	case len(b) > cap(r.chunk)-len(r.chunk):
		size := minChunk
		if r.chunk != nil {
			size = maxChunk
		}
		r.chunk = make([]byte, 0, size)
	}
	at := len(r.chunk)
	r.chunk = append(r.chunk, b...)
	return memory.Text(r.chunk[at:])
}
