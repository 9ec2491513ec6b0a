package java

import (
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

func TestBigDecimalString(t *testing.T) {
	t.Parallel()
	// The examples of BigDecimal.toString's documentation.
	for want, d := range map[string]BigDecimal{
		"123":              {big.NewInt(123), 0},
		"-123":             {big.NewInt(-123), 0},
		"1.23E+3":          {big.NewInt(123), -1},
		"1.23E+5":          {big.NewInt(123), -3},
		"12.3":             {big.NewInt(123), 1},
		"0.00123":          {big.NewInt(123), 5},
		"1.23E-8":          {big.NewInt(123), 10},
		"-1.23E-10":        {big.NewInt(-123), 12},
		"0":                {},
		"0.00":             {big.NewInt(0), 2},
		"0E+2147483648":    {big.NewInt(0), math.MinInt32},
		"1E-2147483647":    {big.NewInt(1), math.MaxInt32},
		"0.000001":         {big.NewInt(1), 6},
		"1E-7":             {big.NewInt(1), 7},
		"12345678901.2345": {big.NewInt(123456789012345), 4},
	} {
		if got := d.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, -1, time.Second, -time.Second, math.MaxInt64, math.MinInt64, -1_500_000_000} {
		back, ok := DurationOf(d).Std()
		if !ok || back != d || DurationOf(d).Nanos < 0 {
			t.Errorf("%d: %+v, %d, %v", d, DurationOf(d), back, ok)
		}
	}
	for _, d := range []Duration{{math.MaxInt64, 0}, {math.MinInt64, 0}, {9223372036, 854775808}, {-9223372037, 145224191}} {
		if got, ok := d.Std(); ok {
			t.Errorf("%+v: %d", d, got)
		}
	}
}

func TestLookups(t *testing.T) {
	t.Parallel()
	m := &Map{Entries: []Entry{{"a", 1}, {int32(1), 2}, {[]byte("x"), 3}, {"a", 4}}}
	m.Set("b", 5)
	m.Set("b", 6)
	for key, want := range map[any]any{"a": 4, int32(1): 2, "b": 6} {
		if got, ok := m.Get(key); !ok || got != want {
			t.Errorf("Get(%v) = %v, %v", key, got, ok)
		}
	}
	for _, key := range []any{int64(1), "c", nil} {
		if got, ok := m.Get(key); ok {
			t.Errorf("Get(%v) = %v", key, got)
		}
	}
	if _, ok := m.Get([]byte("x")); ok || m.Len() != 5 || (*Map)(nil).Len() != 0 || (*List)(nil).Len() != 0 {
		t.Error("lengths or byte keys")
	}
	if _, ok := (*Map)(nil).Get("a"); ok {
		t.Error("a nil map has a key")
	}
}

func TestLookupsOfClasses(t *testing.T) {
	t.Parallel()
	c, err := ParseClass("enum demo.Op {ADD{demo.Op$1}, SUB}")
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := c.Enum(0); !ok || e != (Enum{Class: "demo.Op", Name: "ADD", Ordinal: 0, Body: "demo.Op$1"}) {
		t.Errorf("%+v, %v", e, ok)
	}
	for _, ordinal := range []int{-1, 2} {
		if e, ok := c.Enum(ordinal); ok {
			t.Errorf("%d: %+v", ordinal, e)
		}
	}
	if c.Ordinal("SUB") != 1 || c.Ordinal("MUL") != -1 || (*Class)(nil).Ordinal("SUB") != -1 {
		t.Error("ordinals")
	}
	entity := &Class{Name: "demo.Entity", Fields: []ClassField{{Name: "id", Type: TypeExpr{Class: "long"}}}}
	if f, ok := entity.Field("id"); !ok || f.Type.Class != "long" {
		t.Errorf("%+v", f)
	}
	if _, ok := entity.Field("ID"); ok {
		t.Error("a field that is not there")
	}
	bits := &BitSet{Words: []uint64{4}}
	if !bits.Get(2) || bits.Get(1) || bits.Get(64) || bits.Get(-1) || (*BitSet)(nil).Get(0) || bits.Count() != 1 {
		t.Error("bits")
	}
	if !(*Calendar)(nil).Time().IsZero() {
		t.Error("a nil calendar has a time")
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"Z", "+08:00", "-18:00", "+00:00:01"} {
		if z, err := ParseZoneOffset(s); err != nil || z.String() != s {
			t.Errorf("%s: %s, %v", s, z, err)
		}
	}
	for _, s := range []string{"", "+8", "+08:60", "+18:00:01", "08:00", "+08-00", "+00:00", "+0x:00"} {
		if z, err := ParseZoneOffset(s); err == nil {
			t.Errorf("%q: %s", s, z)
		}
	}
	for _, s := range []string{"", "1.2.3", "e5", "1e", "--1", "1.-2", "+", "1_0", "1e9999999999", strings.Repeat("9", 50_000)} {
		if d, err := ParseBigDecimal(s); err == nil {
			t.Errorf("%.20q: %s", s, d)
		}
	}
	for s, want := range map[string]string{"1e3": "1E+3", "-.5": "-0.5", "+12.30": "12.30", "5.": "5", "1E-7": "1E-7"} {
		if d, err := ParseBigDecimal(s); err != nil || d.String() != want {
			t.Errorf("%s: %s, %v", s, d, err)
		}
	}
}
