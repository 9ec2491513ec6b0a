package compat

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/view"
	"github.com/duequeue/duequeue/framework/internal/decoding"
)

// Rewriter gives messages of the old program the bytes that the new one reads. It is not safe for
// concurrent use.
type Rewriter struct {
	codec   string // what it is around a compressing codec's inner one
	form    form
	root    string // of typedjsonjackson: the class of the messages
	mapping Mapping
	allOld  bool

	old, now         *program
	readOld, readNew *decoding.Reader
	self             *Judge           // the new program on both sides
	unsound          map[string]error // what the new program cannot read of its own classes
}

// form is what a rewriter has to know of a codec.
type form struct {
	names  bool // of the fields are in the bytes, and Java leaves out what is null
	typed  bool // no class is in the bytes
	stream bool // class descriptors are in the bytes
}

// Settings say what a [Rewriter] moves from and to.
type Settings struct {
	Old, New *classfile.Source // of both programs; they stay the caller's
	Codec    string            // by its name
	Class    string            // of the messages, in the old program, which typedjsonjackson needs
	Mapping  Mapping
	// AllOld says that what both programs read is of the old one. Then no payload may be rewritten twice.
	AllOld bool
}

// NewRewriter returns the rewriter of these settings.
func NewRewriter(s Settings) (*Rewriter, error) {
	inner := Inner(catalog.Canonical(s.Codec))
	if !slices.Contains(Codecs(), inner) {
		return nil, fmt.Errorf("what codec %s makes of a changed class is not known; there are %s", s.Codec, strings.Join(Codecs(), ", "))
	}
	r := &Rewriter{
		codec: inner, root: s.Class, mapping: s.Mapping, allOld: s.AllOld, old: newProgram(s.Old), now: newProgram(s.New), self: New(s.New, s.New), unsound: map[string]error{},
		form: form{strings.HasSuffix(inner, "jackson"), inner == typedJSON, inner == "marshalling" || inner == "serialization"},
	}
	switch {
	case r.form.typed && s.Class == "":
		return nil, errors.New(typedJSON + " writes no class: name that of the messages")
	case r.form.typed && r.old.class(s.Class) == nil:
		return nil, fmt.Errorf("the old program has no class %s", s.Class)
	}
	var err error
	if r.readOld, err = decoding.New(decoding.Settings{Codec: s.Codec, Classes: s.Old}); err != nil {
		return nil, err
	}
	r.readNew, err = decoding.New(decoding.Settings{Codec: s.Codec, Classes: s.New})
	return r, err
}

// Inner takes from the name of a codec what it is compressed with.
func Inner(codec string) string {
	if at := strings.LastIndexByte(codec, '('); at >= 0 {
		return strings.TrimRight(codec[at+1:], ")")
	}
	return codec
}

// ErrBoth says that the bytes alone do not tell which program wrote them.
var ErrBoth = errors.New("the old and the new program both read it, and not the same: its bytes do not tell which one wrote it (-all-old does, where nothing of the new one is pending)")

// Rewrite returns a payload as the new program writes it, nil where it reads the same there as it is. The
// error says why it cannot be rewritten.
func (r *Rewriter) Rewrite(payload []byte) (fresh []byte, err error) {
	defer func() { err = errors.Join(err, r.old.err, r.now.err) }()
	value, oldErr := read(r.readOld, payload)
	if oldErr == nil {
		_, oldErr = r.same(r.old, value)
	}
	isNow, nowErr := read(r.readNew, payload)
	if nowErr == nil {
		isNow, nowErr = r.same(r.now, isNow)
	}
	switch {
	case oldErr != nil && nowErr == nil:
		return nil, nil
	case oldErr != nil:
		return nil, oldErr
	}
	plain, err := r.walk(r.mapping.without()).message(value)
	if err != nil {
		return nil, err
	}
	if nowErr == nil {
		if alike, err := equal(plain, isNow); err != nil {
			return nil, err
		} else if !alike && !r.allOld {
			return nil, ErrBoth
		} else if alike && len(r.mapping.values) == 0 && !r.form.names { // JSON may still name classes where the new program expects none
			return nil, nil
		}
	}
	return r.write(value, payload)
}

func read(r *decoding.Reader, payload []byte) (any, error) {
	p := r.Read(payload)
	return p.Value, cmp.Or(p.Err, p.Rest())
}

// same reads a value as one of a program, of its own classes.
func (r *Rewriter) same(p *program, value any) (any, error) {
	w := &walk{Rewriter: r, from: p, to: p, exact: true, seen: map[any]any{}, used: map[string]bool{}}
	if p == r.now {
		w.top = r.newName(r.root)
	} else {
		w.top = r.root
	}
	return w.message(value)
}

func (r *Rewriter) walk(m Mapping) *walk {
	return &walk{Rewriter: r, from: r.old, to: r.now, mapping: m, top: r.root, seen: map[any]any{}, used: map[string]bool{}}
}

func (r *Rewriter) newName(class string) string { return cmp.Or(r.mapping.classes[class], class) }

// write writes what a value of the old program is in the new one, and reads it again.
func (r *Rewriter) write(value any, payload []byte) ([]byte, error) {
	w := r.walk(r.mapping)
	value, err := w.message(value)
	if err != nil {
		return nil, err
	}
	codec, err := r.readNew.With(slices.Sorted(maps.Keys(w.used))...)
	if err != nil {
		return nil, err
	}
	fresh, err := codec.Encode(value)
	if err != nil {
		return nil, err
	}
	again, err := read(r.readNew, fresh)
	if err == nil {
		again, err = r.same(r.now, again)
	}
	if err != nil {
		return nil, fmt.Errorf("what would be written cannot be read with the new classes: %w", err)
	}
	switch alike, err := equal(value, again); {
	case err != nil:
		return nil, err
	case !alike:
		return nil, fmt.Errorf("it would be %s with the new classes, and shall be %s", codecs.Printable(string(view.Of(again)), 200), codecs.Printable(string(view.Of(value)), 200))
	case bytes.Equal(fresh, payload):
		return nil, nil
	}
	return fresh, nil
}

func equal(a, b any) (bool, error) {
	x, all := view.Unfolded(a)
	y, allAgain := view.Unfolded(b)
	if !all || !allAgain {
		return false, errors.New("it has too many values, or is nested too deep, to be compared with what would be written")
	}
	return bytes.Equal(x, y), nil
}

// reads tells why the new program cannot read what it writes itself of a class; nil where it can.
func (r *Rewriter) reads(class string) error {
	err, known := r.unsound[class]
	if !known {
		f, failed := r.self.Of(class, class, r.codec)
		if err = failed; err == nil && f.Verdict != Same && f.Verdict != Default {
			err = fmt.Errorf("the new program does not read messages of %s: %s (%s)", class, f.What(), f.Verdict)
		}
		r.unsound[class] = err
	}
	return err
}
