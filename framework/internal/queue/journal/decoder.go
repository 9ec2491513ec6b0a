package journal

import (
	"context"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Decoder reads payloads for a tool that cancels messages of a queue without its declaration, so
// that the journal has their fields. It is safe for concurrent use where Decode is.
type Decoder struct {
	Decode func(payload []byte) (any, error)
	// Fields are those that the queue declares. Without them they are those that the newest pages of
	// the journal name; these are read once.
	Fields []string

	books sync.Map // *Book, by the key of the journal
}

type decoderKey struct{}

// With returns a context for the cancellations of one queue by a tool.
func With(ctx context.Context, d *Decoder) context.Context {
	return context.WithValue(ctx, decoderKey{}, d)
}

// bookOf returns the book by which the tool writes.
func (d *Decoder) bookOf(ctx context.Context, rdb redis.Scripter, k wire.Keys) *Book {
	if b, ok := d.books.Load(k.Journal); ok {
		return b.(*Book)
	}
	fields := d.Fields
	if len(fields) == 0 {
		pages, _, _ := read(ctx, rdb, k, Place{}, stepPages) // an error: the record has no fields
		for _, p := range pages {
			if fields = p.fields(); len(fields) > 0 {
				break
			}
		}
	}
	b := newBook(0, 0, fields, d.Decode)
	d.books.Store(k.Journal, b)
	return b
}

// fields returns the names of the fields that a page has.
func (p found) fields() []string {
	head, _, _ := strings.Cut(p.text, "\n")
	parts := strings.Split(head, string(separator))
	if len(parts) < 3 {
		return nil
	}
	names := parts[3:]
	for i, name := range names {
		names[i] = unescaper.Replace(name)
	}
	return names
}
