package java

import (
	"fmt"
	"reflect"
	"testing"
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
		"java map":         &Map{Class: "java.util.LinkedHashMap", Entries: []Entry{{"orderId", "100"}}},
		"java map with it": &Map{Entries: []Entry{{"traceparent", "old"}, {"x", nil}}},
		"bean with it":     &Object{Class: "demo.Order", Fields: []Field{{Name: "traceparent", Value: nil}}},
		"sorted map":       &Map{Class: "java.util.TreeMap", Comparator: &Object{Class: "demo.Reverse"}},
		"exception":        &Object{Class: "demo.E", Fields: []Field{{Name: "traceparent"}}, Serial: &Serial{Class: "demo.E"}, Custom: []Custom{{"demo.E", []any{"x"}}}},
		"struct":           traced{ID: "100"},
		"pointer":          &traced{ID: "100"},
		"embedded":         &embedding{N: 1},
	} {
		t.Run(name, func(t *testing.T) {
			before := fmt.Sprintf("%+v", v)
			got, ok := WithTraceparent(v, tp)
			if !ok || Traceparent(got) != tp || reflect.TypeOf(got) != reflect.TypeOf(v) {
				t.Errorf("%s: %v, %+v", name, ok, got)
			}
			if o, isObject := got.(*Object); isObject && !reflect.DeepEqual(o.Custom, v.(*Object).Custom) {
				t.Errorf("%s: lost %v", name, v.(*Object).Custom)
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
		"nil": nil, "string": "x", "struct without": struct{ ID string }{}, "nil pointer": (*traced)(nil), "nil java map": (*Map)(nil),
		"bean without": &Object{Class: "demo.Order"}, "date": Date{}, "bad struct": struct {
			A int `java:"a b"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := WithTraceparent(v, "tp")
			if ok || !reflect.DeepEqual(got, v) || Traceparent(v) != "" {
				t.Errorf("%s: %v, %v", name, got, ok)
			}
		})
	}
	if tp := Traceparent(map[string]any{"traceparent": 5}); tp != "" {
		t.Errorf("a number counts as %q", tp)
	}
}
