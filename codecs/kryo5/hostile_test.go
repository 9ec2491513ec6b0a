package kryo5

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// TestDepth nests each kind of value that holds others in itself: all are bounded,
// and the highest bound is below what the stack can take.
func TestDepth(t *testing.T) {
	t.Parallel()
	named := func(class string) string {
		return "\x01\x00" + class[:len(class)-1] + string([]byte{class[len(class)-1] | 0x80})
	}
	classes := Classes(describe(t, "demo.Node\n\tjava.lang.Object next\nrecord demo.Pair\n\tjava.lang.Object next"))
	for name, c := range map[string]struct{ class, each string }{
		"list":            {"java.util.ArrayList", "\x02"},
		"list, one class": {"java.util.ArrayList", "\x82\x01\x00\x00"},
		"map":             {"java.util.HashMap", "\x02\x00"},
		"map as key":      {"java.util.HashMap", "\x02"},
		"singleton":       {"java.util.Collections$SingletonList", ""},
		"array":           {"[Ljava.lang.Object;", "\x02"},
		"Optional":        {"java.util.Optional", ""},
		"AtomicReference": {"java.util.concurrent.atomic.AtomicReference", ""},
		"comparator":      {"java.util.TreeSet", "\x01"},
		"bean":            {"demo.Node", ""},
		"record":          {"demo.Pair", ""},
	} {
		t.Run(name, func(t *testing.T) {
			each := c.each
			if !strings.HasPrefix(each, "\x82") {
				each += "\x01\x00"
			}
			for _, depth := range []int{codectest.Count(64, 512), codectest.Count(2_000, 10_000)} {
				payload := named(c.class) + strings.Repeat(each, depth+2_000)
				_, err := New(classes, Limits(codecs.Limits{Depth: depth, Elements: -1})).Decode([]byte(payload))
				var e *codecs.DecodeError
				if !errors.As(err, &e) || !strings.Contains(e.Reason, "levels deep") {
					t.Errorf("%s: %.300v", name, err)
				}
				if len(err.Error()) > 1<<13 {
					t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
				}
			}
		})
	}
}

// TestSharedPartsDoNotMultiply encodes what a payload of few bytes may hold: each
// list twice in the next one.
func TestSharedPartsDoNotMultiply(t *testing.T) {
	t.Parallel()
	top := &java.List{}
	for range 64 {
		top = &java.List{Elements: []any{top, top}}
	}
	payload, err := New(References()).Encode(top)
	if err != nil || len(payload) > 1<<10 {
		t.Errorf("%d bytes, %v", len(payload), err)
	}
	var e *codecs.EncodeError
	if _, err := New(Limits(codecs.Limits{Bytes: 1 << 16})).Encode(top); !errors.As(err, &e) || !strings.Contains(err.Error(), "Limits.Bytes") {
		t.Errorf("without references: %v", err)
	}
}

// TestManyNames writes more classes than are searched one by one.
func TestManyNames(t *testing.T) {
	t.Parallel()
	list := &java.List{Class: "java.util.ArrayList"}
	for range 2 {
		for i := range 100 {
			list.Elements = append(list.Elements, java.ClassRef("demo.Class"+strings.Repeat("x", i)))
		}
	}
	for _, codec := range []*Codec{New(), New(References())} {
		payload := codectest.Must(codec.Encode(list))(t)
		v, err := codec.Decode(payload)
		if err != nil || string(view.Of(v)) != string(view.Of(list)) {
			t.Errorf("%v, %.200s", err, view.Of(v))
		}
		if n := strings.Count(string(payload), "demo."); n != 100 {
			t.Errorf("%d names", n)
		}
	}
}
