package fst

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// order twins duequeue.bench.Order.
type order struct {
	OrderID     string          `java:"orderId"`
	Customer    string          `java:"customer"`
	Remark      string          `java:"remark"`
	AmountCents int64           `java:"amountCents"`
	Quantity    int32           `java:"quantity"`
	Discount    *int32          `java:"discount"`
	Paid        bool            `java:"paid"`
	CreatedAt   time.Time       `java:"createdAt"`
	Total       java.BigDecimal `java:"total"`
	Tags        []string        `java:"tags"`
}

func (order) JavaClass() string { return "duequeue.bench.Order" }

func orderPayload(tb testing.TB) []byte {
	tb.Helper()
	text := codectest.Must(os.ReadFile("testdata/bench/order.hex"))(tb)
	return codectest.FromHex(tb, string(text))
}

type status string

func (status) JavaClass() string { return "enum demo.Samples$Status {NEW, PAID, SHIPPED}" }

type item struct {
	SKU string `java:"sku"`
	N   int32
}

func (item) JavaClass() string { return "demo.Samples$Item" }

type special struct {
	item
	Extra any
}

func (special) JavaClass() string { return "demo.Samples$Special extends demo.Samples$Item" }

func TestBindItems(t *testing.T) {
	t.Parallel()
	payload := sample(t, "Orders")
	typed, err := codecs.For[[]item](New(), codecs.BindOptions{Classes: map[reflect.Type]string{
		reflect.TypeFor[special](): "demo.Samples$Special", reflect.TypeFor[status](): "enum demo.Samples$Status {NEW, PAID, SHIPPED}",
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := typed.Decode(payload)
	want := []item{{"a", 1}, {"b", 2}, {"special", 9}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	one, err := codecs.For[*special](New(), codecs.BindOptions{Classes: map[reflect.Type]string{
		reflect.TypeFor[status](): "enum demo.Samples$Status {NEW, PAID, SHIPPED}",
	}})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := one.Decode(payload[bytes.Index(payload, []byte("\x00\x01\x14demo.Samples$Special")):])
	if err != nil || sub == nil || sub.N != 9 || sub.SKU != "special" || sub.Extra.(java.Enum).Name != "SHIPPED" {
		t.Errorf("%+v, %v", sub, err)
	}
	enum, err := codecs.For[java.Enum](New(), codecs.BindOptions{Classes: map[reflect.Type]string{
		reflect.TypeFor[status](): "enum demo.Samples$Status {NEW, PAID, SHIPPED}",
	}})
	if err != nil {
		t.Fatal(err)
	}
	constant, err := enum.Decode(codectest.FromHex(t, "fa011364656d6f2e53616d706c65732453746174757301"))
	if err != nil || constant.Name != "PAID" {
		t.Errorf("%+v, %v", constant, err)
	}
	named, err := codectest.Typed[status](t, New()).Decode(codectest.FromHex(t, "fa011364656d6f2e53616d706c65732453746174757301"))
	if err != nil || named != "PAID" {
		t.Errorf("%q, %v", named, err)
	}
}

func sample(tb testing.TB, label string) []byte {
	tb.Helper()
	for _, v := range vectors(tb, "samples.tsv") {
		if v.label == label {
			return v.payload
		}
	}
	tb.Fatalf("no sample %q", label)
	return nil
}

// wrongOrder lacks a field, so that what follows shifts.
type wrongOrder struct {
	OrderID string `java:"orderId"`
	Paid    bool   `java:"paid"`
}

func (wrongOrder) JavaClass() string { return "duequeue.bench.Order" }

func TestWrongDescriptor(t *testing.T) {
	t.Parallel()
	_, err := codectest.Typed[wrongOrder](t, New()).Decode(orderPayload(t))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Offset < 0 || e.Path == "" {
		t.Errorf("%v; want an error that says where", err)
	}
}

// TestVariants: of two descriptors of a class the one that fits reads it,
// whichever comes first.
func TestVariants(t *testing.T) {
	t.Parallel()
	was := bean("demo.Samples$Item", "", "java.lang.String sku")
	is := bean("demo.Samples$Item", "", "java.lang.String sku, int n")
	for _, classes := range []*java.Classes{set(t, is, was), set(t, was, is)} {
		codec := New(Classes(classes))
		for payload, want := range map[string]string{
			"000111 64656d6f2e53616d706c6573244974656d 05 fc0161 00": `{"class":"demo.Samples$Item","value":{"n":5,"sku":"a"}}`,
			"000111 64656d6f2e53616d706c6573244974656d fc0161 00":    `{"class":"demo.Samples$Item","value":{"sku":"a"}}`,
		} {
			v, err := codec.Decode(codectest.FromHex(t, payload))
			if err != nil || show(v) != want {
				t.Errorf("%s: %s, %v", payload, show(v), err)
			}
		}
	}
	var many []*java.Class
	for _, class := range []string{"A", "B", "C", "D", "E"} {
		many = append(many, bean(class, "", "int a"), bean(class, "", "int b, int c"))
	}
	_, err := New(Classes(set(t, many...))).Decode([]byte{tagNull})
	if err == nil || !strings.Contains(err.Error(), "16 combinations") {
		t.Errorf("32 combinations: %v", err)
	}
}

func TestPartial(t *testing.T) {
	t.Parallel()
	// {"a": [1, [2, an unknown class …
	v, err := New().Decode(codectest.FromHex(t, "000f01 fc0161 001002 f701 001002 f702 000105 782e426164 0500"))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Class != "x.Bad" || e.Path != "a[1][1]" || e.Offset != 16 {
		t.Errorf("%v", err)
	}
	if got := show(v); got != `{"class":"java.util.HashMap","value":{"a":{"class":"java.util.ArrayList","value":[1,{"class":"java.util.ArrayList","value":[2]}]}}}` {
		t.Errorf("read so far: %s", got)
	}
}

func TestNothingIsWritten(t *testing.T) {
	t.Parallel()
	var e *codecs.EncodeError
	if _, err := New().Encode("x"); !errors.As(err, &e) || !strings.Contains(err.Error(), "read only") {
		t.Errorf("Encode: %v", err)
	}
	typed := codectest.Typed[order](t, New())
	if b, err := typed.Encode(order{}); !errors.As(err, &e) || len(b) != 0 {
		t.Errorf("Append: %x, %v", b, err)
	}
}

func TestBindMistakes(t *testing.T) {
	t.Parallel()
	var e *codecs.BindError
	if _, err := codecs.For[chan int](New(), codecs.BindOptions{}); !errors.As(err, &e) || e.Codec != name {
		t.Errorf("%v", err)
	}
	bad := New(Version("2.30"), Limits(codecs.Limits{Depth: -1}), nil, Registered(""), ReadObject("", nil))
	_, err := codecs.For[string](bad, codecs.BindOptions{})
	for _, want := range []string{
		`option fst.Version("2.30"): "2.30" numbers its classes in another way`, "Depth", "option 3 is nil",
		`option fst.Registered(): name 1, "", is no`, `option fst.ReadObject(""): it needs`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q in it", err, want)
		}
	}
	if _, err := bad.Decode([]byte{tagNull}); err == nil || !strings.Contains(err.Error(), "2.30") {
		t.Errorf("Decode: %v", err)
	}
}

// TestClassesAddUp: sets of several options add up, and of two descriptions the earlier
// is tried first.
func TestClassesAddUp(t *testing.T) {
	t.Parallel()
	wide, narrow := set(t, bean("demo.Sub", "demo.Base", "int a")), set(t, bean("demo.Sub", "demo.Base", "byte a"))
	base := set(t, bean("demo.Base", "", ""))
	payload := codectest.FromHex(t, "000108 64656d6f2e537562 05 00")
	for _, c := range []struct {
		name string
		opts []Option
		want any
	}{
		{"base last", []Option{Classes(wide), Classes(base)}, int32(5)},
		{"base first", []Option{Classes(base), Classes(wide)}, int32(5)},
		{"one option", []Option{Classes(base, nil, wide)}, int32(5)},
		{"earlier description", []Option{Classes(base), Classes(narrow), Classes(wide)}, int8(5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := New(c.opts...).Decode(payload)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if a, _ := v.(*java.Object).Get("a"); a != c.want {
				t.Errorf("%s: a is %T %v, want %T %v", c.name, a, a, c.want, c.want)
			}
		})
	}
}

func TestMissingSuperclass(t *testing.T) {
	t.Parallel()
	codec := New(Classes(set(t, bean("demo.Sub", "demo.Unknown", "int a"))))
	_, err := codec.Decode(codectest.FromHex(t, "000108 64656d6f2e537562 05 00"))
	if err == nil || !strings.Contains(err.Error(), "superclass demo.Unknown") {
		t.Errorf("%v", err)
	}
	external := bean("demo.Sub", "", "")
	external.Interfaces = []string{"java.io.Externalizable"}
	_, err = New(Classes(set(t, external))).Decode(codectest.FromHex(t, "000108 64656d6f2e537562 05 00"))
	if err == nil || !strings.Contains(err.Error(), "Externalizable") {
		t.Errorf("%v", err)
	}
}

// TestUndeclaredHooks: a class whose writeObject nobody explained is an error,
// as soon as it shows.
func TestUndeclaredHooks(t *testing.T) {
	t.Parallel()
	codec := New(Classes(set(t, bean("demo.L", "java.util.ArrayList", "int a"))))
	_, err := codec.Decode(codectest.FromHex(t, "000106 64656d6f2e4c 3763000000 37 63 05 00"))
	if err == nil || !strings.Contains(err.Error(), "fst.Hooks") {
		t.Errorf("%v", err)
	}
}
