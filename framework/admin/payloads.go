package admin

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/weight"
	"github.com/duequeue/duequeue/registry"
)

// Payloads says how tools read the payloads of a queue, and which fields count. The zero
// value reads none.
type Payloads struct {
	// Decode reads a payload, as the Decode of its codec without a Go type. It must be safe for
	// concurrent use. Nil reads none.
	Decode func(body []byte) (any, error)
	// SearchFields are those that are searched, VisibleFields those whose values may be shown,
	// see [registry.SearchField].
	SearchFields, VisibleFields []string
}

// PayloadsOf returns those of a declared queue: its codec, and the fields that it declares. A
// payload that its codec does not read without a Go type, as Kryo's of a user class, is read as
// the type of the queue.
func PayloadsOf(d registry.Descriptor) Payloads {
	p := d.Policy()
	return Payloads{
		Decode: func(body []byte) (v any, err error) {
			defer func() { // of a codec that is not ours
				if trouble := recover(); trouble != nil {
					v, err = nil, fmt.Errorf("codec %s panicked: %v", p.Codec.Name(), trouble)
				}
			}()
			return weight.Look(p.Codec, body, func(body []byte) (any, error) {
				v, err := p.Codec.Decode(body)
				if err == nil {
					return v, nil
				}
				if typed, failed := d.Value(body); failed == nil {
					return typed, nil
				}
				return v, err
			})
		},
		SearchFields: p.SearchFields(), VisibleFields: p.VisibleFields(),
	}
}

// reading is what a tool does with payloads.
type reading struct {
	decode          func(body []byte) (any, error)
	search, visible payload.Fields
}

func (p Payloads) reading() reading {
	return reading{p.Decode, payload.FieldsOf(p.SearchFields...), payload.FieldsOf(p.VisibleFields...)}
}

// summary returns one line about a payload: its class and the fields that may be shown. It is
// empty for what cannot be read.
func (r reading) summary(v any) string { return payload.Tree(v, r.visible, payload.Bounds{}).Summary() }

// read decodes a payload.
func (r reading) read(body []byte) (v any, ok bool) {
	if r.decode == nil || body == nil {
		return nil, false
	}
	v, err := r.decode(body)
	return v, err == nil
}

// MostRead is how many bytes of a payload [GroupDead] and the filters of its groups read, and
// [DiagnoseOptions].Guess: larger ones are left out, so that a look at many of them costs little.
const MostRead = 256 << 10

// class returns the class of a payload of so many bytes, also of one that cannot be read for want
// of it. It is empty where that has more than MostRead.
func (r reading) class(body []byte, bytes int) string {
	if r.decode == nil || max(bytes, len(body)) > MostRead {
		return ""
	}
	return codecs.Printable(view.Class(r.decode(body)), 256)
}
