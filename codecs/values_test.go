package codecs_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/serialization"
)

// A type of package java keeps its class where nothing but the Go type says it, as in
// the elements of a list without a tag.
func TestValuesInContainersKeepTheirClass(t *testing.T) {
	t.Parallel()
	values := []any{[]java.Year{2024}, []java.ZoneOffset{3600}, []java.ClassRef{"java.lang.String"}, map[string]java.Year{"a": 1}}
	for _, c := range []codecs.Codec{kryo5.New(), marshalling.New(), serialization.New()} {
		for _, value := range values {
			t.Run(fmt.Sprintf("%s %T", c.Name(), value), func(t *testing.T) {
				b := codectest.Must(c.Bind(reflect.TypeOf(value), codecs.BindOptions{}))(t)
				typed := codectest.Must(b.Append(nil, value))(t)
				lowered := codectest.Must(bridge.LowerShared(value))(t)
				byValues := codectest.Must(c.Encode(lowered))(t)
				if string(typed) != string(byValues) {
					t.Errorf("typed: %x, by values: %x; want the same", typed, byValues)
				}
				if err := b.Decode(typed, reflect.New(reflect.TypeOf(value)).Interface()); err != nil {
					t.Errorf("decoding it: %v", err)
				}
			})
		}
	}
}
