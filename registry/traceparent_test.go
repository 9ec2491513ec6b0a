package registry_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/registry"
)

type traced struct {
	ID    string
	Trace string `java:"traceparent"`
}

type embedding struct {
	traced
	N int
}

func TestTraceparent(t *testing.T) {
	t.Parallel()
	const tp = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, v := range map[string]any{
		"map":              map[string]any{"orderId": "100"},
		"map of strings":   map[string]string{},
		"nil map":          map[string]any(nil),
		"java map":         &java.Map{Class: "java.util.LinkedHashMap", Entries: []java.Entry{{Key: "orderId", Value: "100"}}},
		"java map with it": &java.Map{Entries: []java.Entry{{Key: "traceparent", Value: "old"}, {Key: "x", Value: nil}}},
		"bean with it":     &java.Object{Class: "demo.Order", Fields: []java.Field{{Name: "traceparent", Value: nil}}},
		"sorted map":       &java.Map{Class: "java.util.TreeMap", Comparator: &java.Object{Class: "demo.Reverse"}},
		"exception":        &java.Object{Class: "demo.E", Fields: []java.Field{{Name: "traceparent"}}, Serial: &java.Serial{Class: "demo.E"}, Custom: []java.Custom{{Level: "demo.E", Items: []any{"x"}}}},
		"struct":           traced{ID: "100"},
		"pointer":          &traced{ID: "100"},
		"embedded":         &embedding{N: 1},
	} {
		t.Run(name, func(t *testing.T) {
			before := fmt.Sprintf("%+v", v)
			got, ok := registry.WithTraceparent(v, tp)
			if !ok || registry.Traceparent(got) != tp || reflect.TypeOf(got) != reflect.TypeOf(v) {
				t.Errorf("%s: %v, %+v", name, ok, got)
			}
			if o, isObject := got.(*java.Object); isObject && !reflect.DeepEqual(o.Custom, v.(*java.Object).Custom) {
				t.Errorf("%s: lost %v", name, v.(*java.Object).Custom)
			}
			if after := fmt.Sprintf("%+v", v); after != before {
				t.Errorf("%s: the original became %s", name, after)
			}
		})
	}
}

func TestTraceparentNoPlace(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]any{
		"nil": nil, "string": "x", "struct without": struct{ ID string }{}, "nil pointer": (*traced)(nil), "nil java map": (*java.Map)(nil),
		"bean without": &java.Object{Class: "demo.Order"}, "date": java.Date{}, "bad struct": struct {
			A int `java:"a b"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := registry.WithTraceparent(v, "tp")
			if ok || !reflect.DeepEqual(got, v) || registry.Traceparent(v) != "" {
				t.Errorf("%s: %v, %v", name, got, ok)
			}
		})
	}
	if tp := registry.Traceparent(map[string]any{"traceparent": 5}); tp != "" {
		t.Errorf("a number counts as %q", tp)
	}
}
