package codecs_test

import (
	"bytes"
	"errors"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

type (
	name  string
	count int16
	cents int64
	ratio float64
	blob  []byte
	key   [3]byte
)

// roundTrip encodes v by a binding of its own type, wants payload, decodes it
// again into that type and untyped.
func roundTrip[T any](t *testing.T, c codecs.Codec, v T, payload string, untyped any) {
	t.Helper()
	typed := codectest.Typed[T](t, c)
	got, err := typed.Encode(v)
	if err != nil || string(got) != payload {
		t.Fatalf("%s %v: encoded as %q, %v; want %q", c.Name(), v, got, err, payload)
	}
	back, err := typed.Decode(got)
	if err != nil || !equal(back, v) {
		t.Errorf("%s %q: decoded as %v, %v", c.Name(), payload, back, err)
	}
	plain, err := c.Decode(got)
	if err != nil || !equal(plain, untyped) {
		t.Errorf("%s %q: decoded without a type as %T %v, %v", c.Name(), payload, plain, plain, err)
	}
	again, err := c.Encode(plain)
	if err != nil || !bytes.Equal(again, got) {
		t.Errorf("%s %q: encoded again as %q, %v", c.Name(), payload, again, err)
	}
}

func equal(a, b any) bool {
	f, ok := a.(float64)
	if g, ok2 := b.(float64); ok && ok2 && math.IsNaN(f) && math.IsNaN(g) {
		return true
	}
	return reflect.DeepEqual(a, b)
}

// TestPayloads: the payloads are those of spec section 2 and the captured table.
func TestPayloads(t *testing.T) {
	t.Parallel()
	s := codecs.String()
	roundTrip(t, s, "abc", "abc", "abc")
	roundTrip(t, s, "", "", "")
	roundTrip(t, s, name("a\"b\\c/\n\té中😀<&>' "), "a\"b\\c/\n\té中😀<&>' ", "a\"b\\c/\n\té中😀<&>' ")
	roundTrip(t, s, blob(`{"a":1}`), `{"a":1}`, `{"a":1}`)
	roundTrip(t, s, netip.MustParseAddr("10.0.0.1"), "10.0.0.1", "10.0.0.1")

	l := codecs.Long()
	roundTrip(t, l, int64(-42), "-42", int64(-42))
	roundTrip(t, l, math.MinInt64, "-9223372036854775808", int64(math.MinInt64))
	roundTrip(t, l, cents(7), "7", int64(7))
	roundTrip(t, l, uint32(math.MaxUint32), "4294967295", int64(math.MaxUint32))

	if v, err := l.Decode([]byte("+0042")); err != nil || v != int64(42) {
		t.Errorf("a sign and zeros: %v, %v", v, err)
	}

	i := codecs.Integer()
	roundTrip(t, i, 7, "7", int32(7))
	roundTrip(t, i, count(-7), "-7", int32(-7))
	roundTrip(t, i, uint16(65535), "65535", int32(65535))

	d := codecs.Double()
	roundTrip(t, d, 1.0, "1.0", 1.0)
	roundTrip(t, d, ratio(1e21), "1.0E21", 1e21)
	roundTrip(t, d, 1e-5, "1.0E-5", 1e-5)
	roundTrip(t, d, math.NaN(), "NaN", math.NaN())
	roundTrip(t, d, math.Inf(-1), "-Infinity", math.Inf(-1))

	b := codecs.ByteArray()
	roundTrip(t, b, []byte{}, "", []byte{})
	roundTrip(t, b, blob{0, 255}, "\x00\xff", []byte{0, 255})
	roundTrip(t, b, key{1, 2, 3}, "\x01\x02\x03", []byte{1, 2, 3})
	var nothing []byte
	if got, err := b.Encode(nothing); err != nil || len(got) != 0 {
		t.Errorf("nil bytes: %v, %v", got, err)
	}
}

// TestAny: every plain codec carries values of type any.
func TestAny(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		codec codecs.Codec
		value any
	}{
		{codecs.String(), "x"},
		{codecs.Long(), int64(1)},
		{codecs.Integer(), int32(1)},
		{codecs.Double(), 1.5},
		{codecs.ByteArray(), []byte{1}},
	} {
		roundTripAny(t, c.codec, c.value)
	}
}

func roundTripAny(t *testing.T, c codecs.Codec, v any) {
	t.Helper()
	typed := codectest.Typed[any](t, c)
	b := codectest.Must(typed.Encode(v))(t)
	if back, err := typed.Decode(b); err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%s: %T %v, %v", c.Name(), back, back, err)
	}
	for _, wrong := range []any{nil, true, struct{}{}} {
		_, err := typed.Encode(wrong)
		var e *codecs.EncodeError
		if !errors.As(err, &e) || e.Codec != c.Name() {
			t.Errorf("%s: encoding %v: %v", c.Name(), wrong, err)
		}
	}
}

// TestRefusedTypes: a type that does not fit is refused when bound, and the
// error names the codec that carries it.
func TestRefusedTypes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		codec codecs.Codec
		value any
		want  string
	}{
		{codecs.String(), 1, "long codec"},
		{codecs.String(), true, "kryo5 or jsonjackson"},
		{codecs.String(), struct{}{}, "kryo5 or jsonjackson"},
		{codecs.String(), new(string), "never null"},
		{codecs.Long(), "", "string codec"},
		{codecs.Long(), uint64(1), "no unsigned long"},
		{codecs.Long(), 1.5, "double codec"},
		{codecs.Integer(), int64(1), "long codec"},
		{codecs.Integer(), []byte{}, "bytearray codec"},
		{codecs.Double(), float32(1), "use float64"},
		{codecs.Double(), int8(1), "integer codec"},
		{codecs.ByteArray(), "", "string codec"},
		{codecs.ByteArray(), map[string]any{}, "kryo5 or jsonjackson"},
		{codecs.ByteArray(), make(chan int), "no codec"},
	} {
		_, err := c.codec.Bind(reflect.TypeOf(c.value), codecs.BindOptions{})
		var e *codecs.BindError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || e.Type != reflect.TypeOf(c.value) {
			t.Errorf("%s with %T: %v; want %q", c.codec.Name(), c.value, err, c.want)
		}
		if _, err := c.codec.Encode(c.value); err == nil {
			t.Errorf("%s encodes %T although it refuses the type", c.codec.Name(), c.value)
		}
	}
	if _, err := codecs.String().Bind(nil, codecs.BindOptions{}); err == nil {
		t.Error("nil type bound")
	}
}

func TestBadPayloads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		codec   codecs.Codec
		payload string
		want    string
	}{
		{codecs.Long(), "", "empty payload"},
		{codecs.Long(), "12a", "not a Java long: 3 bytes"},
		{codecs.Long(), " 1", "not a Java long"},
		{codecs.Long(), "-", "not a Java long"},
		{codecs.Long(), "0x1", "not a Java long"},
		{codecs.Long(), "1_0", "not a Java long"},
		{codecs.Long(), "9223372036854775808", "out of range"},
		{codecs.Integer(), "2147483648", "out of range"},
		{codecs.Integer(), strings.Repeat("x", 99), "99 bytes"},
		{codecs.Double(), "inf", "not a Java double"},
		{codecs.Double(), "1,5", "not a Java double"},
		{codecs.Double(), "", "empty payload"},
		{codecs.String(codecs.PlainLimits(codecs.Limits{StringBytes: 3})), "abcd", "limit is 3"},
		{codecs.ByteArray(codecs.PlainLimits(codecs.Limits{Bytes: 3})), "abcd", "limit is 3"},
	} {
		_, err := c.codec.Decode([]byte(c.payload))
		var e *codecs.DecodeError
		if !errors.As(err, &e) || e.Codec != c.codec.Name() || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v; want %q", c.codec.Name(), c.payload, err, c.want)
		}
	}
}

// TestGoTypeTooSmall: a number that the Go type cannot hold is an error, never
// cut.
func TestGoTypeTooSmall(t *testing.T) {
	t.Parallel()
	small := codectest.Typed[int8](t, codecs.Long())
	if v, err := small.Decode([]byte("300")); err == nil {
		t.Errorf("300 became %d", v)
	}
	unsigned := codectest.Typed[uint8](t, codecs.Integer())
	if v, err := unsigned.Decode([]byte("-1")); err == nil {
		t.Errorf("-1 became %d", v)
	}
	wide := codectest.Typed[int](t, codecs.Integer())
	if b, err := wide.Encode(1 << 40); err == nil || !strings.Contains(err.Error(), "long codec") {
		t.Errorf("2^40 as integer: %q, %v", b, err)
	}
	fixed := codectest.Typed[key](t, codecs.ByteArray())
	if v, err := fixed.Decode([]byte("12")); err == nil {
		t.Errorf("two bytes became %v", v)
	}
}

// TestStringText: malformed bytes, lone surrogates and text that cannot be read.
func TestStringText(t *testing.T) {
	t.Parallel()
	c := codecs.String()
	if v, err := c.Decode([]byte("a\xe4\xb8z\xff")); err != nil || v != "a\ufffdz\ufffd" {
		t.Errorf("%q, %v", v, err)
	}
	if b, err := c.Encode("a\xed\xa0\xbdz"); err != nil || string(b) != "a?z" {
		t.Errorf("lone surrogate: %q, %v", b, err)
	}
	for _, bad := range []any{"a\xff", blob("a\xff")} {
		b, err := c.Encode(bad)
		var e *codecs.EncodeError
		if !errors.As(err, &e) || !strings.Contains(e.Reason, "byte 1") {
			t.Errorf("%q: %q, %v", bad, b, err)
		}
	}
	addr := codectest.Typed[netip.Addr](t, c)
	_, err := addr.Decode([]byte("nonsense"))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Unwrap() == nil {
		t.Errorf("bad address: %v", err)
	}
}

// TestBindingMisuse: values and targets of another type are errors, not panics,
// and dst comes back unchanged.
func TestPlainOptionMistakes(t *testing.T) {
	t.Parallel()
	c := codecs.Long(nil, codecs.PlainLimits(codecs.Limits{Depth: 20_000}))
	_, decodeErr := c.Decode([]byte("1"))
	_, encodeErr := c.Encode(int64(1))
	_, bindErr := codecs.For[int64](c, codecs.BindOptions{})
	for use, err := range map[string]error{"Decode": decodeErr, "Encode": encodeErr, "Bind": bindErr} {
		for _, want := range []string{"option 1 is nil", "option codecs.PlainLimits(", "Depth must be between"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", use, err, want)
			}
		}
	}
}

func TestBindingMisuse(t *testing.T) {
	t.Parallel()
	b := codectest.Must(codecs.Long().Bind(reflect.TypeFor[int64](), codecs.BindOptions{}))(t)
	if dst, err := b.Append([]byte("x"), "1"); err == nil || string(dst) != "x" {
		t.Errorf("%q, %v", dst, err)
	}
	if dst, err := b.Append(nil, nil); err == nil || dst != nil {
		t.Errorf("%q, %v", dst, err)
	}
	for _, target := range []any{nil, 1, (*int64)(nil), new(string)} {
		if err := b.Decode([]byte("1"), target); err == nil {
			t.Errorf("target %T accepted", target)
		}
	}
	if dst, err := b.Append([]byte("x="), int64(5)); err != nil || string(dst) != "x=5" {
		t.Errorf("%q, %v", dst, err)
	}
}

// TestNothingRetained: what was decoded does not change with the payload.
func TestNothingRetained(t *testing.T) {
	t.Parallel()
	payload := []byte("abc")
	v := codectest.Must(codecs.ByteArray().Decode(payload))(t)
	clear(payload)
	if string(v.([]byte)) != "abc" {
		t.Error("the decoded bytes changed")
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for c, empty := range map[codecs.Codec]bool{
		codecs.String(): true, codecs.ByteArray(): true,
		codecs.Long(): false, codecs.Integer(): false, codecs.Double(): false,
	} {
		if c.WritesEmpty() != empty || c.Limits().Bytes == 0 || c.Name() == "" {
			t.Errorf("%s: %v %v", c.Name(), c.WritesEmpty(), c.Limits())
		}
	}
}
