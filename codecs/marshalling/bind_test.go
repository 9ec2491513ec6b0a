package marshalling

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestFields decodes into structs that have other fields than the class.
func TestFields(t *testing.T) {
	t.Parallel()
	order, err := codectest.Into[fewFields](t, New(), sample(t, "order"))
	if err != nil || !order.Paid || order.Created != time.UnixMilli(1700000000123).UTC() {
		t.Errorf("order: %+v, %v", order, err)
	}
	flat, err := codectest.Into[flatOrder](t, New(), sample(t, "order"))
	if err != nil || flat.ID != 42 || !flat.Paid {
		t.Errorf("a field of the superclass in a struct without one: %+v, %v", flat, err)
	}
}

// flatOrder has a field of the superclass as its own.
type flatOrder struct {
	ID   int64 `java:"id"`
	Paid bool  `java:"paid"`
}

func (flatOrder) JavaClass() string { return "River$Order" }

// moreItem has a field that the class does not have.
type moreItem struct {
	SKU   string           `java:"sku"`
	Count int32            `java:"count"`
	Price *java.BigDecimal `java:"price"`
	Extra string           `java:"extra"`
}

func (moreItem) JavaClass() string { return "River$Item" }

func TestRefusedFields(t *testing.T) {
	t.Parallel()
	check := func(label string, err error, class, path string) {
		t.Helper()
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Class != class || e.Path != path {
			t.Errorf("%s: %v; want an error about %s of %s", label, err, path, class)
		}
	}
	_, err := codectest.Into[fewFields](t, New(RefuseUnknownFields()), sample(t, "order"))
	check("unknown", err, "River$Order", "id")
	_, err = codectest.Into[moreItem](t, New(RefuseMissingFields()), sample(t, "item"))
	check("missing", err, "River$Item", "extra")
	if _, err = codectest.Into[[]item](t, New(RefuseUnknownFields(), RefuseMissingFields()), sample(t, "list of items")); err != nil {
		t.Errorf("the same fields: %v", err)
	}
}

// TestDerivedMapInside writes a map of a class of its own, with keys that are no
// texts, as it was read.
func TestDerivedMapInside(t *testing.T) {
	t.Parallel()
	payload, err := hex.DecodeString("0404093e0a64656d6f2e4d794d6170d791780006959632000000013e0178230038" +
		"3e116a6176612e7574696c2e486173684d61700507dac1c31660d1000000023e0a6c6f6164466163746f7226003e097468726573686f6c6423001" +
		"63f4000000000000c320800000010000000014b000000053e016135bd6448cc")
	if err != nil {
		t.Fatal(err)
	}
	typed, err := codecs.For[any](New(), codecs.BindOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := typed.Decode(payload)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := typed.Encode(v); err != nil || !bytes.Equal(out, payload) {
		t.Errorf("%x, %v", out, err)
	}
}

// record is a class that River cannot carry.
type record struct {
	X int32 `java:"x"`
}

func (record) JavaClass() string { return "record demo.Point" }

// tagList extends a class of the JDK that writes data of its own.
type tagList struct {
	Weight int32 `java:"weight"`
}

func (tagList) JavaClass() string { return "demo.Tags extends java.util.ArrayList" }

func TestBindMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ    reflect.Type
		reason string
	}{
		{reflect.TypeFor[record](), "record"},
		{reflect.TypeFor[tagList](), "java.util.ArrayList"},
		{reflect.TypeFor[chan int](), "no Java value"},
		{reflect.TypeFor[struct {
			R record `java:"r"`
			C func() `java:"c"`
		}](), "no Java value"},
	} {
		_, err := New().Bind(c.typ, codecs.BindOptions{})
		var e *codecs.BindError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v; want an error about %q", c.typ, err, c.reason)
		}
	}
}
