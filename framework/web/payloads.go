package web

import (
	"errors"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/payload"
)

// PayloadOptions say how a [Console] reads payloads, and what of them it shows. The codecs of
// declared queues and their fields come from their declarations; all of this is for the
// other queues, and the fields are for declared ones too. The zero value guesses the codec of each
// payload, shows no values and finds messages by ID and key alone.
type PayloadOptions struct {
	// Codec is the name of the codec, see package catalog. Empty guesses by the bytes.
	Codec string
	// Settings are those of the codec beside its name.
	Settings catalog.Options
	// Classes are jars, directories and .class files with the user classes that payloads hold.
	Classes []string
	// Visible are fields whose values are shown, SearchFields those by which messages are found;
	// see [registry.Visible] for the paths.
	//
	// [registry.Visible]: https://pkg.go.dev/github.com/duequeue/duequeue/registry#Visible
	Visible, SearchFields []string
}

// payloads reads those of all queues.
type payloads struct {
	options PayloadOptions
	reader  *decoding.Reader
	source  *classfile.Source // nil without classes
}

func newPayloads(o PayloadOptions) (p payloads, err error) {
	p.options = o
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

// of returns how the payloads of a queue are read.
func (c *Console) payloadsOf(queue string) admin.Payloads {
	o := c.payloads.options
	p := admin.Payloads{Decode: func(body []byte) (any, error) {
		read := c.payloads.reader.Read(body)
		return read.Value, read.Err
	}}
	if d := c.declared(queue); d != nil {
		p = admin.PayloadsOf(d)
	}
	p.VisibleFields = append(p.VisibleFields, o.Visible...)
	p.SearchFields = append(p.SearchFields, o.SearchFields...)
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

// show reads a payload for a page. Everything shows hidden values too.
func (c *Console) showPayload(queue string, body []byte, everything bool) shownPayload {
	visible := c.payloadsOf(queue).VisibleFields
	if everything {
		visible = []string{payload.All}
	}
	d := c.declared(queue)
	if d == nil {
		return shown(c.payloads.reader.Read(body), visible)
	}
	p := decoding.Payload{Bytes: body, Codec: d.Policy().Codec}
	p.Value, p.Err = admin.PayloadsOf(d).Decode(body)
	return shown(p, visible)
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
