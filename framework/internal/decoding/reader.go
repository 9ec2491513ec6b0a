package decoding

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework/internal/weight"
)

// Settings say how payloads are read. The zero value guesses the codec of each.
type Settings struct {
	// Codec is the name of the codec, in any of the catalog's spellings. Where it is empty,
	// Options may stand for one: a schema for avrojackson, references or allowed classes for
	// kryo5; else each payload tells.
	Codec string
	// Options are those of the codec, but its classes and hooks, which come from Classes.
	Options catalog.Options
	// Classes is where user classes are found; may be nil. It stays the caller's, who closes
	// it when no payload is read any more.
	Classes *classfile.Source
}

// Reader reads payloads. It is safe for concurrent use.
type Reader struct {
	name    string // as it was given; empty where each payload tells
	codec   string // its canonical name
	classes userClasses
}

// New returns a reader. Errors are those of [catalog.FindWith], and those of the classes
// that the options allow.
func New(s Settings) (*Reader, error) {
	r := &Reader{name: s.Codec, classes: userClasses{
		opts: s.Options, source: s.Classes, loaded: map[string]bool{}, built: map[string]codecs.Codec{},
	}}
	if r.name == "" {
		r.name = meant(s.Options)
	}
	if _, err := r.classes.add(0, s.Options.Allowed...); err != nil {
		return nil, err
	}
	if r.name == "" {
		return r, checkGuessing(s.Options)
	}
	if err := r.classes.probe(r.name); err != nil {
		return nil, err
	}
	c, _, err := r.classes.codec(r.name)
	if err != nil {
		return nil, err
	}
	r.codec = c.Name()
	return r, nil
}

// meant returns the codec that options alone stand for, "" where the bytes must tell.
func meant(opts catalog.Options) string {
	switch {
	case opts.Schema != "":
		return "avrojackson"
	case opts.References, len(opts.Allowed) > 0:
		return "kryo5"
	}
	return ""
}

// checkGuessing reports options that no codec would take, before there is a payload.
func checkGuessing(opts catalog.Options) error {
	_, redisson := catalog.FindWith("jsonjackson", catalog.Options{Since: opts.Since})
	if _, own := catalog.FindWith("fst", catalog.Options{Since: opts.Since}); redisson != nil && own != nil {
		return fmt.Errorf("-since: %w", redisson)
	}
	return nil
}

// Codec returns the name of the codec, "" where each payload tells.
func (r *Reader) Codec() string { return r.codec }

// HasClasses reports whether user classes can be found.
func (r *Reader) HasClasses() bool { return r.classes.source != nil }

// Payload is what became of one payload.
type Payload struct {
	Bytes []byte
	Value any   // as the codec decodes without a Go type; with an error, what came before it
	Err   error // why it cannot be decoded
	Codec codecs.Codec
	Guess *Guess // how the codec was found; nil where it was named
}

// CodecOf returns the name of the codec that reads a payload, or that would with the jar of its
// classes; "" where none does, or where only bytes read it.
func (r *Reader) CodecOf(payload []byte) string {
	p := r.Read(payload)
	if p.Codec == nil || p.Codec.Name() == "bytearray" || p.Err != nil && p.NeedsClasses() == "" {
		return ""
	}
	return p.Codec.Name()
}

// Read decodes a payload, and again with each class that it turns out to hold and the jar
// has. The jar's classes bound the number of tries.
func (r *Reader) Read(payload []byte) Payload {
	if r.name == "" {
		return r.guess(payload)
	}
	return r.readAs(r.name, payload)
}

// readAs reads a payload of the codec of that name.
func (r *Reader) readAs(name string, payload []byte) Payload {
	u := &r.classes
	for {
		codec, count, err := u.codec(name)
		if err != nil {
			return Payload{Bytes: payload, Err: err}
		}
		p := Payload{Bytes: payload, Codec: codec}
		p.Value, p.Err = weight.Look(codec, payload, codec.Decode)
		if u.source == nil {
			return p
		}
		names := view.Blamed(p.Err)
		if p.Err == nil && strings.Contains(codec.Name(), "jackson") {
			names = beansOf(p.Value) // which read without their class, but not as it is declared
		}
		if len(names) == 0 {
			return p
		}
		grown, err := u.add(count, names...)
		switch {
		case err != nil:
			p.Err = errors.Join(p.Err, err)
			return p
		case !grown && p.Err != nil:
			p.Err = u.explain(p.Err, names[0])
			return p
		case !grown:
			return p
		}
	}
}

// Rest returns why the bytes are more than the value, with codecs that do not look at what
// follows it, as Java's on Jackson 2; nil where nothing follows. What another codec wrote
// often begins with a value.
func (p Payload) Rest() error {
	if p.Err != nil || p.Codec == nil {
		return nil //nolint:nilerr // what was not read has no rest
	}
	_, err := codecs.Whole(p.Codec).Decode(p.Bytes)
	return err
}

// Again reports whether encoding the value again gives the same bytes; an error says why it
// cannot be encoded.
func (p Payload) Again() (same bool, err error) {
	if p.Err != nil || p.Codec == nil {
		return false, p.Err
	}
	again, err := p.Codec.Encode(p.Value)
	return err == nil && bytes.Equal(again, p.Bytes), err
}

// NeedsClasses returns the user class without which the payload cannot be read by the codec,
// "" where that is not what is wrong.
func (p Payload) NeedsClasses() string {
	names := slices.DeleteFunc(view.Blamed(p.Err), classfile.OfJDK)
	if len(names) == 0 || p.Codec == nil || !strings.Contains(p.Codec.Name(), "kryo5") && !strings.Contains(p.Codec.Name(), "fst") {
		return ""
	}
	return names[0]
}
