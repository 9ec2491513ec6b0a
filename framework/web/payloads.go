package web

import (
	"cmp"
	"context"
	"errors"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/payload"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
)

// PayloadOptions say how a [Console] reads payloads, and what of them it shows. The codecs of
// declared queues and their fields come from their declarations; all of this is for the
// other queues, and the fields are for declared ones too. The zero value guesses the codec of each
// payload, shows no values and finds messages by ID and key alone.
type PayloadOptions struct {
	// Codec is the name of the codec, see package catalog. Empty guesses by the bytes.
	Codec string
	// Settings are those of the codec besides its name. Limits that are not set are those of what
	// people look at: 1 MiB, decompressed, and 32,768 values.
	Settings catalog.Options
	// Classes are jars, directories and .class files with the user classes that payloads hold.
	Classes []string
	// Visible are fields whose values are shown, SearchFields those by which messages are found;
	// see [registry.Visible] for the paths.
	//
	// [registry.Visible]: https://pkg.go.dev/github.com/duequeue/duequeue/registry#Visible
	Visible, SearchFields []string
}

// Limits of what is decoded for people: few bytes may become very many values.
const (
	shownBytes    = 1 << 20
	shownElements = 1 << 15
)

func limited(l codecs.Limits) codecs.Limits {
	l.Bytes, l.StringBytes = cmp.Or(l.Bytes, shownBytes), cmp.Or(l.StringBytes, shownBytes)
	l.Elements = cmp.Or(l.Elements, shownElements)
	return l
}

// payloads reads those of all queues.
type payloads struct {
	options PayloadOptions
	reader  *decoding.Reader
	source  *classfile.Source // nil without classes
	turn    chan struct{}     // holds one while a payload is decoded
}

// one lets one payload at a time be decoded, and shown: a value may take many times the memory of
// its payload. A codec that panics ends nothing but that.
func (p payloads) one(do func() error) error {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	return background.Try(do)
}

// reading returns a reader of payloads of another codec than that of the options.
func (p payloads) reading(codec string) (*decoding.Reader, error) {
	o := catalog.Options{Limits: limited(codecs.Limits{})}
	reader, err := decoding.New(decoding.Settings{Codec: codec, Options: o, Classes: p.source})
	if err != nil { // of a codec that takes no classes, or needs more than a name
		reader, err = decoding.New(decoding.Settings{Codec: codec, Options: o})
	}
	return reader, err
}

func newPayloads(o PayloadOptions) (p payloads, err error) {
	o.Settings.Limits = limited(o.Settings.Limits)
	p.options, p.turn = o, make(chan struct{}, 1)
	if len(o.Classes) > 0 {
		if p.source, err = classfile.Open(o.Classes...); err != nil {
			return p, err
		}
	}
	p.reader, err = decoding.New(decoding.Settings{Codec: o.Codec, Options: o.Settings, Classes: p.source})
	return p, errors.Join(err, p.closeIf(err != nil))
}

func (p payloads) closeIf(is bool) error {
	if !is || p.source == nil {
		return nil
	}
	return p.source.Close()
}

// payloadsOf returns how the payloads of a queue are read: one at a time.
func (c *Console) payloadsOf(queue string) admin.Payloads {
	p := c.fieldsOf(queue)
	p.Decode = func(body []byte) (v any, err error) {
		err = c.payloads.one(func() error {
			read := c.decode(queue, body)
			v = read.Value
			return read.Err
		})
		return v, err
	}
	return p
}

// fieldsOf returns which fields of the payloads of a queue are shown and searched.
func (c *Console) fieldsOf(queue string) (p admin.Payloads) {
	if d := c.declared(queue); d != nil {
		p = admin.PayloadsOf(d)
	}
	p.VisibleFields = append(p.VisibleFields, c.payloads.options.Visible...)
	p.SearchFields = append(p.SearchFields, c.payloads.options.SearchFields...)
	return p
}

// journaling returns a context in which cancellations write the fields of a queue into its journal.
func (c *Console) journaling(ctx context.Context, queue string) context.Context {
	d := &journal.Decoder{Decode: c.payloadsOf(queue).Decode}
	if q := c.declared(queue); q != nil {
		d.Fields = q.Policy().JournalFields()
	}
	return journal.With(ctx, d)
}

// decode decodes a payload of a queue, when it is its turn.
func (c *Console) decode(queue string, body []byte) decoding.Payload {
	d := c.declared(queue)
	if d == nil {
		return c.payloads.reader.Read(body)
	}
	p := decoding.Payload{Bytes: body, Codec: d.Policy().Codec}
	p.Value, p.Err = admin.PayloadsOf(d).Decode(body)
	return p
}

// shownPayload is a payload on a page.
type shownPayload struct {
	Tree   *payload.Node // nil where nothing could be read
	Codec  string        // empty where it is not known
	Why    string        // why that one was taken, where it was guessed
	Others []string      // what else it may be
	Err    string        // why it cannot be read; then Tree may have what came before
	Rest   string        // what follows the value, which Java ignores
	Needs  string        // the class without which it cannot be read
	Bytes  int
	Hidden bool // something is
}

// showPayload reads a payload for a page. Everything shows hidden values too.
func (c *Console) showPayload(queue string, body []byte, everything bool) shownPayload {
	visible := c.fieldsOf(queue).VisibleFields
	if everything {
		visible = []string{payload.All}
	}
	return c.payloads.show(len(body), visible, func() decoding.Payload { return c.decode(queue, body) })
}

// show shows what a payload of so many bytes is decoded to.
func (p payloads) show(bytes int, visible []string, decode func() decoding.Payload) (s shownPayload) {
	if err := p.one(func() error { s = shown(decode(), visible); return nil }); err != nil {
		s = shownPayload{Bytes: bytes, Err: clean(err.Error())}
	}
	return s
}

func shown(p decoding.Payload, visible []string) shownPayload {
	s := shownPayload{Bytes: len(p.Bytes), Needs: p.NeedsClasses()}
	if p.Codec != nil {
		s.Codec = p.Codec.Name()
	}
	if p.Err != nil {
		s.Err = clean(p.Err.Error())
	} else if rest := p.Rest(); rest != nil {
		s.Rest = clean(rest.Error())
	}
	if p.Err == nil || p.Value != nil {
		s.Tree = payload.Tree(p.Value, payload.FieldsOf(visible...), payload.Bounds{})
		s.Hidden = s.Tree.HidesAny()
	}
	if g := p.Guess; g != nil {
		s.Why = g.Taken.Confidence.String() + ": " + clean(g.Taken.Why)
		for _, o := range g.Others {
			s.Others = append(s.Others, o.Codec+" ("+o.Confidence.String()+")")
		}
	}
	return s
}
