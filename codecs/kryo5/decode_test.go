package kryo5

import (
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// Payload parts for tests.
const (
	hashMap   = "\x01\x00java.util.HashMa\xf0"
	arrayList = "\x01\x00java.util.ArrayLis\xf4"
)

func TestDecodeValues(t *testing.T) {
	t.Parallel()
	codec := New()
	for name, c := range map[string]struct {
		payload string
		want    any
	}{
		"null":           {"\x00", nil},
		"string":         {"\x03dem\xef", "demo"},
		"Chinese":        {"\x03\x83张三", "张三"},
		"empty string":   {"\x03\x81", ""},
		"one letter":     {"\x03\x82a", "a"},
		"zero character": {"\x03\x82\x00", "\x00"},
		"surrogate pair": {"\x03\x83\xed\xa0\xbd\xed\xb8\x80", "😀"},
		"two low ones":   {"\x03\x83\xed\xb8\x80\xed\xb8\x80", "\xed\xb8\x80\xed\xb8\x80"},
		"int":            {"\x02\x54", int32(42)},
		"least int":      {"\x02\xff\xff\xff\xff\x0f", int32(-1 << 31)},
		"least long":     {"\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff", int64(-1 << 63)},
		"char":           {"\x07A\x00", java.Char('A')},
		"double":         {"\x0a\x00\x00\x00\x00\x00\x00\x04\x40", 2.5},
		"bytes":          {"\x01\x00[\xc2\x03\x01\xff", []byte{1, 255}},
		"big integer":    {"\x01\x00java.math.BigIntege\xf2\x03\xff\x7f", big.NewInt(-129)},
		"order map": {
			hashMap + "\x03\x03orderI\xe4\x0310\xb0\x03remar\xeb\x03\x85其他信息",
			&java.Map{Class: "java.util.HashMap", Entries: []java.Entry{{Key: "orderId", Value: "100"}, {Key: "remark", Value: "其他信息"}}},
		},
		"list": {
			arrayList + "\x05\x02\x02\x03a\xe2\x00\x09\x04",
			&java.List{Class: "java.util.ArrayList", Elements: []any{int32(1), "ab", nil, int64(2)}},
		},
		"name used twice": {
			arrayList + "\x82\x01\x00\x00\x01",
			&java.List{Class: "java.util.ArrayList", Elements: []any{&java.List{Class: "java.util.ArrayList", Elements: []any{}}}},
		},
	} {
		got, err := codec.Decode([]byte(c.payload))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %#v, %v; want %#v", name, got, err, c.want)
			continue
		}
		if again, err := codec.Encode(got); err != nil || string(again) != c.payload {
			t.Errorf("%s: encoded as %x, %v; want %x", name, again, err, c.payload)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("\x01\x00", 1) + "java.util.Collections$SingletonLis\xf4" + strings.Repeat("\x01\x00", 600) + "\x00"
	checkWrong(t, New(), map[string]wrong{
		"empty":                     {"", "", "", 0, "empty"},
		"trailing bytes":            {"\x02\x02\x00", "", "", 2, "1 bytes follow"},
		"cut short":                 {"\x09\x80", "", "", 2, "ends in the middle"},
		"boolean 2":                 {"\x05\x02", "", "", 1, "0x02"},
		"surplus varint byte":       {"\x02\x80\x00", "", "", 1, "surplus"},
		"varint of 33 bits":         {"\x02\xff\xff\xff\xff\x1f", "", "", 1, "32 bits"},
		"class id 11":               {"\x0b\x00", "", "", 0, "not registered"},
		"name id ahead":             {"\x01\x01\x82a", "", "", 0, "name id 1"},
		"null class name":           {"\x01\x00\x80", "", "", 0, "class name"},
		"null string":               {"\x03\x80", "", "java.lang.String", 1, "null"},
		"string lead byte":          {"\x03\x82\xff", "", "", 2, "0xff"},
		"string continuation":       {"\x03\x82\xc3\x41", "", "", 3, "0x41"},
		"string overlong":           {"\x03\x82\xc0\x80", "", "", 2, "surplus"},
		"string too long":           {"\x03\x84ab", "", "", 1, "3 characters"},
		"string length negative":    {"\x03\xff\xff\xff\xff\x1fab", "", "", 1, ""},
		"flag on empty list":        {arrayList + "\x81", "", "", 21, "flag"},
		"hasNull of 2":              {arrayList + "\x82\x02\x02\x02", "", "", 23, "0x02"},
		"unknown class inside":      {hashMap + "\x02\x03a\xe2\x01\x01demo.Orde\xf2\x00", "ab", "demo.Order", 23, "not described"},
		"unknown class in a list":   {arrayList + "\x03\x00\x01\x01demo.Orde\xf2\x00", "[1]", "demo.Order", 23, "not described"},
		"comparator":                {"\x01\x00java.util.TreeSe\xf4\x82\x03a\xe2\x00", "", "java.util.TreeSet", 20, "no comparator"},
		"null in an ArrayDeque":     {"\x01\x00java.util.ArrayDequ\xe5\x83\x00", "", "java.util.ArrayDeque", -2, "null"},
		"null in a List.of":         {"\x01\x00java.util.ImmutableCollections$List1\xb2\x03\x02\x02\x00", "[1]", "java.util.ImmutableCollections$List12", -2, "null"},
		"null key in a Hashtable":   {"\x01\x00java.util.Hashtabl\xe5\x02\x00\x02\x02", "[key]", "java.util.Hashtable", -2, "null"},
		"too deep":                  {deep, strings.Repeat("[0]", 512), "", -2, "512 levels"},
		"big integer not minimal":   {"\x01\x00java.math.BigIntege\xf2\x03\x00\x01", "", "", -2, "shortest"},
		"31 February":               {"\x01\x00java.time.LocalDat\xe5\xe8\x0f\x02\x1f", "", "", -2, "2024-02-31 is no date"},
		"25 o'clock":                {"\x01\x00java.time.LocalTim\xe5\xe6", "", "", -2, "no time"},
		"time with zero part":       {"\x01\x00java.time.LocalTim\xe5\x09\xff", "", "", -2, "zero"},
		"nanos of more than second": {"\x01\x00java.time.Instan\xf4\x00\xff\xff\xff\xff\x0f", "", "", -2, "second"},
	})
}

// wrong is a payload that does not decode, and its error; the offset is -2 where it does not matter.
type wrong struct {
	payload, path, class string
	offset               int
	reason               string
}

func checkWrong(t *testing.T, codec *Codec, rows map[string]wrong) {
	t.Helper()
	for name, c := range rows {
		v, err := codec.Decode([]byte(c.payload))
		var e *codecs.DecodeError
		if !errors.As(err, &e) {
			t.Errorf("%s: got %v, %v; want a DecodeError", name, v, err)
			continue
		}
		if e.Codec != "kryo5" || e.Path != c.path || e.Class != c.class || c.offset != -2 && e.Offset != c.offset || !strings.Contains(e.Reason, c.reason) {
			t.Errorf("%s: got path %q class %q offset %d reason %q", name, e.Path, e.Class, e.Offset, e.Reason)
		}
	}
}

func TestDecodeKeepsWhatItRead(t *testing.T) {
	t.Parallel()
	payload := hashMap + "\x03\x03orderI\xe4\x0310\xb0\x03tag\xf3\x01\x01java.util.ArrayLis\xf4\x03\x03v1\x01\x02demo.Orde\xf2\x00"
	payload = strings.Replace(payload, "\x03v1", "\x03v\xb1", 1)
	v, err := New().Decode([]byte(payload))
	var e *codecs.DecodeError
	if !errors.As(err, &e) || e.Path != "tags[1]" || e.Class != "demo.Order" {
		t.Fatalf("error %v", err)
	}
	const want = `{"class":"java.util.HashMap","value":{"orderId":"100","tags":{"class":"java.util.ArrayList","value":["v1"]}}}`
	if got := string(view.Of(v)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	list := arrayList + "\x83\x03\x00a\xe2c\xe4"
	for name, c := range map[string]struct {
		limits codecs.Limits
		reason string
	}{
		"fits":     {codecs.Limits{Bytes: len(list), Elements: 2, Depth: 1, StringBytes: 19}, ""},
		"bytes":    {codecs.Limits{Bytes: len(list) - 1}, "Limits.Bytes"},
		"elements": {codecs.Limits{Elements: 1}, "Limits.Elements"},
		"strings":  {codecs.Limits{StringBytes: 1}, "Limits.StringBytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Limits(c.limits)).Decode([]byte(list))
			if c.reason == "" && err != nil || c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
