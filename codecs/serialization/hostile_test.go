package serialization

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// Pieces of streams.
func utf(s string) string { return string(binary.BigEndian.AppendUint16(nil, uint16(len(s)))) + s }

func ref(n int) string {
	return "\x71" + string(binary.BigEndian.AppendUint32(nil, uint32(baseHandle+n)))
}

// classDesc is a descriptor with the given fields, annotation and superclass.
func classDesc(class string, flags byte, fields, super string) string {
	n := strings.Count(fields, ";")
	return "\x72" + utf(class) + "\x00\x00\x00\x00\x00\x00\x00\x01" + string(flags) +
		string(binary.BigEndian.AppendUint16(nil, uint16(n))) + strings.ReplaceAll(fields, ";", "") + "\x78" + super
}

const nullSuper = "\x70"

// jdkDesc is what Java writes of one of its own classes that has no fields of
// object type and no superclass.
func jdkDesc(tb testing.TB, v any) string {
	tb.Helper()
	b := codectest.Must(New().Encode(v))(tb)
	return string(b[5 : bytes.Index(b, []byte("\x78\x70"))+2])
}

// hostileRow is a payload that a program would not write. Reason is part of the error;
// empty where the payload is a value after all.
type hostileRow struct {
	name    string
	payload []byte
	reason  string
}

func hostile(tb testing.TB) []hostileRow {
	tb.Helper()
	list := jdkDesc(tb, &java.List{})
	bean := classDesc("demo.A", 2, "", nullSuper)
	deep := strings.Repeat("\x73"+ref(0)+"\x00\x00\x00\x01\x77\x04\x00\x00\x00\x01", 20_000)
	chain := strings.Repeat("\x72"+utf("demo.A")+"\x00\x00\x00\x00\x00\x00\x00\x01\x02\x00\x00\x78", 20_000) // 21 bytes each
	row := func(name, payload, reason string) hostileRow { return hostileRow{name, []byte(payload), reason} }
	return []hostileRow{
		row("nothing", "", "ends in the middle"),
		row("header only", magic, "ends in the middle"),
		row("other format", "\x04\x3e\x01a\x00", "no java.io object stream"),
		row("two values", magic+"\x70\x70", "1 bytes follow"),
		row("unknown tag", magic+"\x42", "unknown tag"),
		row("descriptor as value", magic+bean, "class descriptor where a value belongs"),
		row("block as value", magic+"\x77\x01a", "bytes where"),
		row("reset", magic+"\x79\x70", "reset"),
		row("exception", magic+"\x7b\x70", "reset"),
		row("proxy", magic+"\x73\x7d\x00\x00\x00\x00\x78\x70", "proxy"),
		row("reference to nothing", magic+ref(0), "leads nowhere"),
		row("reference below the first", magic+"\x71\x00\x00\x00\x00", "leads nowhere"),
		row("reference to a descriptor", magic+"\x73"+list+"\x00\x00\x00\x01\x77\x04\x00\x00\x00\x01"+ref(0)+"\x78", "leads to a class descriptor"),
		row("class that is its own superclass", magic+"\x73"+classDesc("demo.A", 2, "", ref(0)), "not complete"),
		row("class of itself as field signature", magic+"\x73"+classDesc("demo.A", 2, "L\x00\x01a"+ref(0)+";", nullSuper), "not complete"),
		row("enum whose name is itself", magic+"\x7e"+classDesc("demo.E", 0x12, "", nullSuper)+ref(1), "not complete"),
		row("date inside itself", magic+"\x73"+classDesc("java.util.Date", 3, "", nullSuper)+ref(1)+"\x78", "not complete"),
		row("deep lists", magic+"\x73"+list+"\x00\x00\x00\x01\x77\x04\x00\x00\x00\x01"+deep, "nested more than"),
		row("endless chain of classes", magic+"\x73"+chain+"\x70", "nested more than"),
		row("long chain of classes", magic+"\x73"+chain[:21*100]+"\x70", "superclass"),
		row("array of 2^31-1 ints", magic+"\x75"+jdkDesc(tb, []int32{})+"\x7f\xff\xff\xff", "not fit into"),
		row("array of -1 ints", magic+"\x75"+jdkDesc(tb, []int32{})+"\xff\xff\xff\xff", "not fit into"),
		row("array of no class", magic+"\x75\x70\x00\x00\x00\x00", "no class"),
		row("array of a bean's class", magic+"\x75"+bean+"\x00\x00\x00\x00", "no array"),
		row("array of an unknown primitive", magic+"\x75"+classDesc("[Q", 2, "", nullSuper)+"\x00\x00\x00\x00", "no array class"),
		row("string of 2^63 bytes", magic+"\x7c\x7f\xff\xff\xff\xff\xff\xff\xffabc", "not fit into"),
		row("string of -1 bytes", magic+"\x7c\xff\xff\xff\xff\xff\xff\xff\xff", "not fit into"),
		row("text of four bytes", magic+"\x74\x00\x04\xf0\x9f\x98\x80", "modified UTF-8"),
		row("text cut in a character", magic+"\x74\x00\x02\xe4\xb8", "modified UTF-8"),
		row("block of 2^31-1 bytes", magic+"\x73"+classDesc("demo.A", 3, "", nullSuper)+"\x7a\x7f\xff\xff\xff", "not fit into"),
		row("65535 fields", magic+"\x73\x72"+utf("demo.A")+"\x00\x00\x00\x00\x00\x00\x00\x01\x02\xff\xff", "not fit into"),
		row("both kinds", magic+"\x73"+classDesc("demo.A", 6, "", nullSuper), "in one"),
		row("protocol 1", magic+"\x73"+classDesc("demo.A", 4, "", nullSuper), "protocol 1"),
		row("not serializable", magic+"\x73"+classDesc("demo.A", 0, "", nullSuper), "not serializable"),
		row("enum as object", magic+"\x73"+classDesc("demo.A", 0x12, "", nullSuper), "as an object"),
		row("string as object", magic+"\x73"+classDesc("java.lang.String", 2, "", nullSuper), "not written as an object"),
		row("object without a class", magic+"\x73\x70", "no class"),
		row("list that says 5 and holds 1", magic+"\x73"+list+"\x00\x00\x00\x05\x77\x04\x00\x00\x00\x05\x70\x78", "contradicts"),
		row("list without its numbers", magic+"\x73"+list+"\x00\x00\x00\x01\x70\x78", "own data"),
		row("map with a key only", magic+"\x73"+jdkDesc(tb, &java.Map{})+"\x3f\x40\x00\x00\x00\x00\x00\x0c\x77\x08\x00\x00\x00\x10\x00\x00\x00\x01\x70\x78", "contradicts"),
		row("integer of another type", magic+"\x73"+classDesc("java.lang.Integer", 2, "J\x00\x05value;", nullSuper)+"\x00\x00\x00\x00\x00\x00\x00\x01", "another type"),
		row("month 13", magic+"\x73"+classDesc("java.time.Ser", 0x0c, "", nullSuper)+"\x77\x07\x03\x00\x00\x07\xe8\x0d\x01\x78", "2024-13-01 is no date"),
		row("31 April", magic+"\x73"+classDesc("java.time.Ser", 0x0c, "", nullSuper)+"\x77\x07\x03\x00\x00\x07\xe8\x04\x1f\x78", "2024-04-31 is no date"),
	}
}

// copies is Collections.nCopies(n, "c").
func copies(tb testing.TB, n int32) []byte {
	tb.Helper()
	b := codectest.Must(New().Encode(&java.List{Class: "java.util.Collections$CopiesList", Elements: []any{"c"}}))(tb)
	at := bytes.Index(b, []byte("\x78\x70")) + 2
	binary.BigEndian.PutUint32(b[at:], uint32(n))
	return b
}

func TestCopiesAreBounded(t *testing.T) {
	t.Parallel()
	codec := New(Limits(codecs.Limits{Elements: 1000}))
	if v, err := codec.Decode(copies(t, 900)); err != nil || len(v.(*java.List).Elements) != 900 {
		t.Errorf("900 copies are read as %v, %v", v, err)
	}
	for _, n := range []int32{1000, 1 << 30, -1} {
		if _, err := codec.Decode(copies(t, n)); err == nil {
			t.Errorf("%d copies decoded", n)
		}
	}
}

// TestHostile is not parallel: it measures what the process allocates.
func TestHostile(t *testing.T) {
	codec, small := New(), New(Limits(codecs.Limits{Elements: 4096}))
	for _, h := range hostile(t) {
		t.Run(h.name, func(t *testing.T) {
			codectest.Hostile[*sampleItem](t, codec, small, h.payload, h.reason)
		})
	}
}

// FuzzDecode looks for panics, hangs, memory out of proportion, and values that do not
// come back.
func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		if v.name != "laughs" && len(v.payload) < 16<<10 { // which unfolds to a tree of 2^30 lists
			f.Add(v.payload)
		}
	}
	for _, h := range hostile(f) {
		if len(h.payload) < 4<<10 {
			f.Add(h.payload)
		}
	}
	codec := New(Limits(codecs.Limits{Elements: 4096}))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = codec.Decode(payload) })
		codectest.Stable(t, codec, payload)
	})
}
