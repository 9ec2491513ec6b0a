package registry_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"

	"github.com/duequeue/duequeue/codecs"
)

// fakeCodec carries anything as plain JSON, or refuses to.
type fakeCodec struct {
	limits   codecs.Limits
	bindErr  error
	bindDies bool
	classes  *map[reflect.Type]string // where to note the classes of Bind
}

func (c *fakeCodec) Name() string          { return "fake" }
func (c *fakeCodec) WritesEmpty() bool     { return false }
func (c *fakeCodec) Limits() codecs.Limits { return c.limits }

func (c *fakeCodec) Encode(v any) ([]byte, error) { return json.Marshal(v) }
func (c *fakeCodec) Decode(p []byte) (v any, err error) {
	err = json.Unmarshal(p, &v)
	return v, err
}

func (c *fakeCodec) Bind(_ reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	if c.bindDies {
		panic("no plan")
	}
	if c.classes != nil {
		*c.classes = opts.Classes
	}
	return fakeBinding{}, c.bindErr
}

type fakeBinding struct{}

func (fakeBinding) Append(dst []byte, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return dst, &codecs.EncodeError{Codec: "fake", Reason: "unsupported", Err: err}
	}
	return append(dst, b...), nil
}

func (fakeBinding) Decode(p []byte, target any) error {
	if err := json.Unmarshal(p, target); err != nil {
		return &codecs.DecodeError{Codec: "fake", Offset: -1, Reason: "bad JSON", Err: err}
	}
	return nil
}

var fake = &fakeCodec{}

// Item, Order and Money are payloads; Money is of "another module".
type (
	Money struct{ Cents int64 }
	Item  struct{ Price Money }
	Order struct {
		ID    string
		Items []*Item
	}
	Stranger struct{}
	Traced   struct {
		Traceparent string
	}
)

var place = regexp.MustCompile(`(at )(/[^ :)]*):(\d+)`)

// short returns the lines of err with directories cut off the places.
func short(err error) string {
	if err == nil {
		return "<nil>"
	}
	return place.ReplaceAllStringFunc(err.Error(), func(s string) string {
		return "at " + filepath.Base(strings.TrimPrefix(s, "at "))
	})
}

// each returns the errors joined in err.
func each(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}
