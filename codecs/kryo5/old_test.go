package kryo5

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

// TestOlderReleases writes and reads the classes whose bytes changed, as each
// release does.
func TestOlderReleases(t *testing.T) {
	t.Parallel()
	classes := describe(t, `demo.U
	java.util.concurrent.atomic.AtomicReference<java.lang.String> ar
	java.util.UUID u`)
	const (
		uuid    = "\x01\x00java.util.UUI\xc4"
		counter = "\x01\x00java.util.concurrent.atomic.AtomicIntege\xf2"
		flag    = "\x01\x00java.util.concurrent.atomic.AtomicBoolea\xee"
		long    = "\x01\x00java.util.concurrent.atomic.AtomicLon\xe7"
		ref     = "\x01\x01java.util.concurrent.atomic.AtomicReferenc\xe5"
	)
	one := java.UUID{7: 1, 15: 2}
	holder := func(class string, v any) *java.Object {
		return &java.Object{Class: "java.util.concurrent.atomic." + class, Fields: []java.Field{{Name: "value", Value: v}}}
	}
	bean := &java.Object{Class: "demo.U", Fields: []java.Field{{Name: "ar", Value: holder("AtomicReference", "x1")}, {Name: "u", Value: one}}}
	for name, c := range map[string]struct {
		since string
		value any
		want  string
	}{
		"UUID 3.19.0":           {"3.19.0", one, uuid + "\x04\x02"},
		"UUID 3.19.1":           {"3.19.1", one, uuid + "\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"},
		"Pattern 3.19.0":        {"3.19.0", java.Pattern{Regex: "a+", Flags: 2}, "\x01\x00java.util.regex.Patter\xee\x04a\xab"},
		"Pattern":               {"3.45", java.Pattern{Regex: "a+", Flags: 2}, "\x01\x00java.util.regex.Patter\xee\x61\xab\x02"},
		"AtomicInteger 3.45":    {"3.45.1", holder("AtomicInteger", int32(-2)), counter + "\x03"},
		"AtomicInteger 3.46":    {"3.46.0", holder("AtomicInteger", int32(-2)), counter + "\xfe\xff\xff\xff"},
		"AtomicBoolean 3.45":    {"3.45.1", holder("AtomicBoolean", true), flag + "\x02"},
		"AtomicBoolean 3.46":    {"3.46.0", holder("AtomicBoolean", true), flag + "\x01"},
		"AtomicLong 3.45":       {"3.45.1", holder("AtomicLong", int64(5)), long + "\x0a"},
		"AtomicReference 3.45":  {"3.45.1", bean, "\x01\x00demo.\xd5" + ref + "x\xb1" + "\x01" + "\x01" + strings.Repeat("\x00", 7) + "\x02" + strings.Repeat("\x00", 7)},
		"AtomicReference 3.46":  {"3.46.0", bean, "\x01\x00demo.\xd5" + ref + "\x03x\xb1" + "\x01\x01" + strings.Repeat("\x00", 7) + "\x02" + strings.Repeat("\x00", 7)},
		"AtomicReference alone": {"3.19.0", holder("AtomicReference", "x1"), strings.Replace(ref, "\x01\x01", "\x01\x00", 1) + "\x03x\xb1"},
	} {
		codec := New(Since(c.since), Classes(classes))
		got, err := codec.Encode(c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %x, %v\nwant %x", name, got, err, c.want)
			continue
		}
		v, err := codec.Decode(got)
		if err != nil || string(java.View(v)) != string(java.View(c.value)) {
			t.Errorf("%s: %s, %v", name, java.View(v), err)
		}
	}
}

// TestOldContainers reads what releases before Java serialization wrote of
// wrappers and EnumMap, under any setting, and writes none of it.
func TestOldContainers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ payload, want string }{
		"unmodifiable list": {"\x01\x00java.util.Collections$UnmodifiableLis\xf4\x82\x03\x00a\xe2", `["ab"]`},
		"synchronized map":  {"\x01\x00java.util.Collections$SynchronizedMa\xf0\x02\x03a\xe2\x02\x02", `{"ab":1}`},
		"EnumMap":           {"\x01\x00java.util.EnumMa\xf0\x02\x01\x01java.time.Mont\xe8\x05\x02\x02", `{"class":"java.time.Month","value":"MAY"},1`},
		"empty list":        {"\x01\x00java.util.Collections$UnmodifiableLis\xf4\x01", `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, codec := range []*Codec{New(), New(Since("3.20.0"))} {
				v, err := codec.Decode([]byte(c.payload))
				if err != nil || !strings.Contains(string(java.View(v)), c.want) {
					t.Errorf("%s: %s, %v", name, java.View(v), err)
				}
			}
			v, err := New(Since("3.20.0")).Decode([]byte(c.payload))
			if b, encodeErr := New(Since("3.20.0")).Encode(v); err != nil || encodeErr == nil || !strings.Contains(encodeErr.Error(), "cannot read") {
				t.Errorf("%s: Java could not read %x, %v", name, b, encodeErr)
			}
		})
	}
	address := []byte("\x01\x00java.net.Inet4Addres\xf3")
	if v, err := New(Since("3.30.0")).Decode(address); err != nil || java.ClassOf(v) != "java.net.Inet4Address" {
		t.Errorf("an address of an old release: %v, %v", v, err)
	}
	if v, err := New().Decode(address); err == nil {
		t.Errorf("an address without its stream: %v", v)
	}
	view := "\x01\x00java.util.concurrent.ConcurrentHashMap$KeySetVie\xf7\x82\x03\x00a\xe2"
	if v, err := New(Since("4.6.0")).Decode([]byte(view)); err != nil || !strings.Contains(string(java.View(v)), `["ab"]`) {
		t.Errorf("%s, %v", java.View(v), err)
	}
}
