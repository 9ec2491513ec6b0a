package decoding

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/recode"
)

// Convert returns a payload of one codec, by name, as another one writes it, see [recode.Between];
// with the user classes that it turns out to hold.
func (r *Reader) Convert(from, to string, payload []byte) ([]byte, error) {
	if r.HasClasses() { // reading loads those that the payload turns out to hold
		r.readAs(from, payload)
		r.readAs(to, payload)
	}
	old, _, err := r.classes.codec(from)
	if err != nil {
		return nil, err
	}
	now, _, err := r.classes.codec(to)
	if err != nil {
		return nil, err
	}
	return recode.Between(old, now, payload)
}

// With returns the codec of the reader, which has one, with user classes and all these refer to.
func (r *Reader) With(classes ...string) (codecs.Codec, error) {
	_, count, err := r.classes.codec(r.name)
	if err != nil {
		return nil, err
	}
	if _, err = r.classes.add(count, classes...); err != nil {
		return nil, err
	}
	c, _, err := r.classes.codec(r.name)
	return c, err
}
