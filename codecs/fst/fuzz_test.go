package fst

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

var fuzzLimits = Limits(codecs.Limits{Elements: 1 << 12, Depth: 64})

func seeds(f *testing.F) {
	f.Helper()
	for _, file := range []string{"vectors.tsv", "samples.tsv"} {
		for _, v := range vectors(f, file) {
			f.Add(v.payload)
		}
	}
	for _, h := range hostile {
		f.Add(codectest.FromHex(f, h.hex))
	}
	f.Add(orderPayload(f))
}

func FuzzDecode(f *testing.F) {
	seeds(f)
	codec := New(demoClasses(f), fuzzLimits, Hooks("demo.Samples$Resolved"),
		ReadObject("demo.Samples$Written", written), ReadExternal("demo.Samples$Ext", ext))
	three := New(Version("3.0.3"), fuzzLimits)
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, c := range []*Codec{codec, three} {
			codectest.Allocates(t, payload, func() { checkDecode(t, c, payload) })
		}
	})
}

func FuzzDecodeStruct(f *testing.F) {
	seeds(f)
	typed := codectest.Typed[order](f, New(fuzzLimits))
	f.Fuzz(func(t *testing.T, payload []byte) {
		codectest.Allocates(t, payload, func() { _, _ = typed.Decode(payload) })
	})
}

// hostile are payloads that ask for more than they hold.
var hostile = []struct{ name, hex, why string }{
	{"nothing", "", "empty"},
	{"string of 2^31", "fc81ffffff7f61", "more than the"},
	{"string of -1", "fcff", "negative"},
	{"list of 2^31", "001081ffffff7fff", "more than the"},
	{"list of -1", "0010ff", "negative"},
	{"map of 2^30", "000f81ffffff3fffff", "more than the"},
	{"int[] of 2^31", "fb2a81ffffff7f00000000", "more than the"},
	{"long[] of 2^29", "fb3081ffffff1f0000000000000000", "more than the"},
	{"Object[] of 2^31", "fb2181ffffff7fff", "more than the"},
	{"int[][] of 2^31", "fb2b81ffffff7fff", "more than the"},
	{"array of -2", "fb24fe", "negative"},
	{"BigInteger of 2^31", "000b81ffffff7f01", "more than the"},
	{"BigInteger of nothing", "000b00", "at least one byte"},
	{"class name of 2^31", "000181ffffff7f61", "more than the"},
	{"class name of nothing", "000100", "class name"},
	{"nCopies of 2^31", "0001 20 6a6176612e7574696c2e436f6c6c656374696f6e7324436f706965734c697374 42 81ffffff7f ff 00", "more elements than the limit"},
	{"class id unknown", "0033", "id 51 is not registered"},
	{"class id of the stream unknown", "00ffe803", "id 1000 is not registered"},
	{"class id 2", "0002", "id 2 is not registered"},
	{"handle of nothing", "f905", "no object began"},
	{"handle of itself", "001001f901", "no object began"},
	{"handle of what is not complete", "000a4200376302f90000", "not complete"},
	{"enum -1", "fa010d53616d706c657324436f6c6f72ff", "another codec"},
	{"typed at the root", "fd", "no class is declared"},
	{"prediction at the root", "01", "prediction"},
	{"hook at the root", "edf701", "writeObject"},
	{"one of", "ee00", "OneOf"},
	{"unknown tag", "80", "no object of FST"},
	{"more behind it", "f70100", "1 bytes follow"},
	{"array tag, no array", "fb0f00", "no array"},
	{"letter that is none", "000102c3a9", "class name"},
	{"month 13", "00010d6a6176612e74696d652e53657203050d01", "is no date"},
	{"February 30th", "00010d6a6176612e74696d652e53657203050 21e", "02-30 is no date"},
	{"hour 24", "00010d6a6176612e74696d652e53657204e7", "time of day"},
	{"30 February", "00010d6a6176612e74696d652e5365720d021e", "--02-30 is no day"},
	{"java.time type 0", "00010d6a6176612e74696d652e53657200", "no type 0"},
	{"boolean 2", "fb00025b5a0102", "neither 0 nor 1"},
}

func TestHostile(t *testing.T) {
	for _, h := range hostile {
		payload := codectest.FromHex(t, h.hex)
		codectest.Allocates(t, payload, func() {
			v, err := New(fuzzLimits).Decode(payload)
			if err == nil || !strings.Contains(err.Error(), h.why) {
				t.Errorf("%s: %s, %v; want %q", h.name, show(v), err, h.why)
			}
		})
	}
}

// TestHostileDepth: lists in lists, sub-arrays in sub-arrays, beans in beans.
func TestHostileDepth(t *testing.T) {
	t.Parallel()
	const deep = 100_000
	node := bean("demo.N", "", "demo.N next")
	for what, payload := range map[string]string{
		"lists":  strings.Repeat("\x00\x10\x01", deep) + "\xff",
		"beans":  "\x00\x01\x06demo.N" + strings.Repeat("\xfd", deep) + "\xff",
		"arrays": "\xfb\x00\x7f" + strings.Repeat("[", 126) + "I\x01" + strings.Repeat("\x00\x7f"+strings.Repeat("[", 126)+"I\x01", 1000),
	} {
		t.Run(what, func(t *testing.T) {
			_, err := New(Classes(set(t, node))).Decode([]byte(payload))
			if err == nil || !strings.Contains(err.Error(), "nested more than 512") {
				t.Errorf("%s: %v", what, err)
			}
		})
	}
}

// TestHostileSharing: a list that holds the list before it twice, thirty times,
// is small in memory however large it would unfold.
func TestHostileSharing(t *testing.T) {
	t.Parallel()
	payload := []byte{tagObject, 16, 2} // [[[… , ^], ^], ^]
	const levels = 30
	for range levels {
		payload = append(payload, tagObject, 16, 2)
	}
	payload = append(payload, tagNull, tagNull)
	for i := levels; i > 0; i-- {
		payload = append(payload, tagHandle, byte(3*i)) // the list that has just ended
	}
	v := codectest.Must(New().Decode(payload))(t)
	if n := strings.Count(show(v), `"ref"`); n != levels {
		t.Errorf("%d references in %s", n, show(v))
	}
}

// TestHostileKeys: an error below many maps names their keys, which are one huge
// string each time.
func TestHostileKeys(t *testing.T) {
	const size, levels = 1 << 20, 300
	payload := []byte{tagObject, 16, 2, tagString, 0x81, 0, 0, byte(size >> 16), 0} // [string, {string: {string: …
	payload = append(payload, make([]byte, size)...)
	for range levels {
		payload = append(payload, tagObject, 15, 1, tagHandle, 3)
	}
	payload = append(payload, 0x80)
	codectest.Allocates(t, payload, func() {
		_, err := New().Decode(payload)
		if err == nil || len(err.Error()) > 100*levels {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}
