package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Golden bytes of spec 2.2, and of 0 for the universal element.
func TestElementGolden(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		element string
		emptyOK bool
		kind    byte
		id      string
		payload string
	}{
		{"old layout", "81e97df41022b1c3 0500000000000000 68656c6c6f", false, 'u', "81e97df41022b1c3", "hello"},
		{"new layout", "08 a0a1a2a3a4a5a6a7 0500000000000000 68656c6c6f", false, 'n', "a0a1a2a3a4a5a6a7", "hello"},
		{"universal", "07 01020304050607 0500000000000000 68656c6c6f", false, 'u', "0701020304050607", "hello"},
		{"universal, empty", "07 01020304050607 0000000000000000", true, 'u', "0701020304050607", ""},
		{"no id, no payload", "00 0000000000000000", true, 'x', "0000000000000000", ""},
		{"one byte of id", "01 78 0100000000000000 79", false, 'x', "0000000000000000", "y"},
		{"17 bytes, codec writes empty", "08a0a1a2a3a4a5a6 0100000000000000 00", true, 'n', "a0a1a2a3a4a5a601", ""},
		{"17 bytes, codec does not", "08a0a1a2a3a4a5a6 0100000000000000 00", false, 'u', "08a0a1a2a3a4a5a6", "\x00"},
		{"17 bytes, only new fits", "08a0a1a2a3a4a5a6a7 0000000000000000", false, 'n', "a0a1a2a3a4a5a6a7", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			element := queuetest.Unhex(t, c.element)
			id, payload, err := wire.Parse(element, c.emptyOK)
			if err != nil {
				t.Fatal(err)
			}
			if id.Kind != c.kind || hex.EncodeToString(id.Raw[:]) != c.id || string(payload) != c.payload {
				t.Errorf("got %c %x %q, want %c %s %q", id.Kind, id.Raw, payload, c.kind, c.id, c.payload)
			}
			if id.Kind != wire.KindOther && !bytes.Equal(wire.Pack(id, payload), element) {
				t.Errorf("packed again: %x, want %x", wire.Pack(id, payload), element)
			}
		})
	}
}

func TestParseMalformed(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		element []byte
		first   int
		reason  string
	}{
		{"empty", nil, -1, "empty"},
		{"short", []byte("abc"), 'a', "too short"},
		{"text", []byte("hello, this is no element at all"), 'h', "neither"},
		{"trailing byte", append(queuetest.JavaNew(make([]byte, 8), []byte("x")), 0), 8, "neither"},
		{"length too large", append(bytes.Repeat([]byte{7}, 8), bytes.Repeat([]byte{0xff}, 8)...), 7, "neither"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := wire.Parse(c.element, true)
			var m *wire.MalformedError
			if !errors.As(err, &m) {
				t.Fatalf("got %v, want a MalformedError", err)
			}
			if m.Size != len(c.element) || m.First != c.first || !strings.Contains(m.Error(), c.reason) {
				t.Errorf("got %+v", m)
			}
		})
	}
}

// Whatever Java or Go packs comes apart again as it was put together.
func TestElementProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payload := rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "payload")
		var element []byte
		want := wire.ElementID{Kind: wire.KindFirst}
		switch rapid.IntRange(0, 3).Draw(t, "layout") {
		case 0:
			want.Raw = [8]byte(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "id"))
			want.Raw[0] = 7
			element = wire.Pack(want, payload)
		case 1:
			id := rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "id")
			want = wire.ElementID{Kind: wire.KindJava, Raw: [8]byte(id)}
			element = queuetest.JavaNew(id, payload)
		case 2:
			element = queuetest.JavaOld(rapid.Int64().Draw(t, "id"), payload)
			want.Raw = [8]byte(element)
		default:
			size := rapid.IntRange(0, 255).Filter(func(n int) bool { return n != 7 && n != 8 }).Draw(t, "size")
			id := rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "id")
			want = wire.ElementID{Kind: wire.KindOther}
			element = queuetest.JavaNew(id, payload)
			if len(element) >= 16 && binary.LittleEndian.Uint64(element[8:]) == uint64(len(element)-16) {
				return // reads as the old layout by chance
			}
		}
		id, got, err := wire.Parse(element, false)
		if err != nil || id != want || !bytes.Equal(got, payload) {
			t.Fatalf("%x: got %+v %x %v, want %+v %x", element, id, got, err, want, payload)
		}
	})
}

// The Lua half agrees with the Go half on every element.
func TestElementLuaAgrees(t *testing.T) {
	t.Parallel()
	parse := snippet("element", `local payload, kind, id = element_parse(ARGV[1], ARGV[2] == '1')
if not payload then return {'malformed', '', ''} end
return {payload, kind, id}`)
	rdb := lab.Shared.Client()
	rapid.Check(t, func(rt *rapid.T) {
		var element []byte
		payload := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "payload")
		switch rapid.IntRange(0, 4).Draw(rt, "layout") {
		case 0:
			element = queuetest.JavaOld(rapid.Int64().Draw(rt, "id"), payload)
		case 1:
			element = queuetest.JavaNew(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(rt, "id"), payload)
		case 2:
			element = queuetest.JavaNew(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "id"), payload)
		case 3:
			element = queuetest.Unhex(t, "08a0a1a2a3a4a5a6 0100000000000000 00")
		default:
			element = rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(rt, "bytes")
		}
		emptyOK := rapid.Bool().Draw(rt, "empty")
		value, err := parse.Run(t.Context(), rdb, nil, element, script.Flag(emptyOK))
		if err != nil {
			rt.Fatal(err)
		}
		got := value.([]any)
		id, want, err := wire.Parse(element, emptyOK)
		if err != nil {
			if got[0] != "malformed" || got[1] != "" {
				rt.Fatalf("%x: Lua %q, Go %v", element, got, err)
			}
			return
		}
		if got[0] != string(want) || got[1] != string(id.Kind) || got[2] != string(id.Raw[:]) {
			rt.Fatalf("%x: Lua %q, Go %q %c %q", element, got, want, id.Kind, id.Raw)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(nil), true)
	f.Add(queuetest.JavaOld(-1234567890123456789, []byte("hello")), false)
	f.Add(queuetest.JavaNew([]byte("abcdefgh"), []byte("hello")), false)
	f.Add(queuetest.JavaNew([]byte("abcdefg"), nil), true)
	f.Add([]byte("\x08abcdefg\x01\x00\x00\x00\x00\x00\x00\x00\x00"), false)
	f.Fuzz(func(t *testing.T, element []byte, emptyOK bool) {
		id, payload, err := wire.Parse(element, emptyOK)
		if err != nil {
			var m *wire.MalformedError
			if !errors.As(err, &m) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		if !bytes.HasSuffix(element, payload) {
			t.Fatalf("payload %x is no suffix of %x", payload, element)
		}
		if id.Kind != wire.KindOther && !bytes.Equal(wire.Pack(id, payload), element) {
			t.Fatalf("%x does not pack again", element)
		}
	})
}
