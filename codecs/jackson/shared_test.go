package jackson_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestSharedValues: values that share their parts, as formats with references give
// them, come to an end at the limit and not when memory does.
func TestSharedValues(t *testing.T) {
	t.Parallel()
	var list, mapping, object any = "x", "x", "x"
	for range 100 {
		list = &java.List{Elements: []any{list, list}}
		mapping = &java.Map{Entries: []java.Entry{{Key: "a", Value: mapping}, {Key: "b", Value: mapping}}}
		object = &java.Object{Class: "a.B", Fields: []java.Field{{Name: "a", Value: object}, {Name: "b", Value: object}}}
	}
	long, many := strings.Repeat("x", 1<<20), make([]any, 1<<12)
	for i := range many {
		many[i] = long
	}
	lim := jackson.Limits(codecs.Limits{Bytes: 1 << 20})
	for name, v := range map[string]any{"list": list, "map": mapping, "object": object, "string": &java.List{Elements: many}} {
		for _, c := range []codecs.Codec{jackson.JsonJackson(lim), jackson.TypedJsonJackson(lim), jackson.JsonJackson3(lim)} {
			var e *codecs.EncodeError
			if out, err := c.Encode(v); !errors.As(err, &e) || !strings.Contains(e.Reason, "Limits.Bytes") {
				t.Errorf("%s by %s: %d bytes, %v", name, c.Name(), len(out), err)
			}
		}
	}
}
