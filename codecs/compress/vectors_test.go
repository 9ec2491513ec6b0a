package compress_test

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// vector is one payload that Java wrote.
type vector struct {
	codec, releases string
	raw, payload    []byte
}

func (v vector) String() string { return v.codec + " " + v.releases + " " + short(v.raw) }

func short(b []byte) string {
	if len(b) > 24 {
		return hex.EncodeToString(b[:24]) + "… of " + strconv.Itoa(len(b))
	}
	return hex.EncodeToString(b)
}

// text returns the bytes of a column: hex, or "hello*500".
func text(tb testing.TB, s string) []byte {
	tb.Helper()
	if word, count, ok := strings.Cut(s, "*"); ok {
		n := codectest.Must(strconv.Atoi(count))(tb)
		unit := map[string]string{"hello": "hello ", "zero": "\x00"}[word]
		return []byte(strings.Repeat(unit, n/len(unit)+1)[:n])
	}
	if s == "-" {
		return nil
	}
	return codectest.FromHex(tb, s)
}

func vectors(tb testing.TB) []vector {
	tb.Helper()
	var out []vector
	for _, f := range codectest.Rows(tb, "testdata/java.tsv") {
		out = append(out, vector{f[0], f[1], text(tb, f[2]), text(tb, f[3])})
	}
	return out
}

type wrapper func(codecs.Codec, ...compress.Option) codecs.Codec

var byClass = map[string]wrapper{
	"LZ4Codec": compress.LZ4, "LZ4CodecV2": compress.LZ4V2, "SnappyCodec": compress.Snappy,
	"SnappyCodecV2": compress.SnappyV2, "ZStdCodec": compress.ZStd,
}

// TestJavasPayloads: every payload of every release is read, and what is written
// for that release is read again. Floors say how much of it has Java's own bytes.
func TestJavasPayloads(t *testing.T) {
	t.Parallel()
	all, same := map[string]int{}, map[string]int{}
	for _, v := range vectors(t) {
		since := v.releases[strings.LastIndexByte(v.releases, ',')+1:]
		c := byClass[v.codec](codecs.ByteArray(), compress.Since(since))
		got, err := c.Decode(v.payload)
		if err != nil || !bytes.Equal(got.([]byte), v.raw) {
			t.Errorf("%s: %v, %v", v, got, err)
			continue
		}
		if c = byClass[v.codec](codecs.ByteArray()); v.payload != nil {
			if got, err = c.Decode(v.payload); err != nil || !bytes.Equal(got.([]byte), v.raw) {
				t.Errorf("%s, without Since: %v, %v", v, got, err)
			}
		}
		payload, err := byClass[v.codec](codecs.ByteArray(), compress.Since(since)).Encode(v.raw)
		if v.codec == "LZ4CodecV2" && len(v.raw) == 0 {
			if err == nil {
				t.Errorf("%s: %x, want an error", v, payload)
			}
			continue
		}
		if got, again := c.Decode(payload); err != nil || again != nil || !bytes.Equal(got.([]byte), v.raw) {
			t.Errorf("%s, read again: %v, %v, %v", v, got, err, again)
		}
		all[v.codec+" "+since]++
		if bytes.Equal(payload, v.payload) {
			same[v.codec+" "+since]++
		}
	}
	for name, floor := range map[string]int{
		"LZ4Codec 4.7.0": 100, "LZ4CodecV2 3.24.3": 55, "LZ4CodecV2 4.7.0": 65,
		"SnappyCodec 3.45.1": 70, "SnappyCodecV2 3.8.1": 70, "SnappyCodecV2 4.7.0": 70, "ZStdCodec 4.7.0": 55,
	} {
		t.Run(name, func(t *testing.T) {
			if all[name] < 25 || 100*same[name] < floor*all[name] {
				t.Errorf("%s: of %d payloads %d have Java's bytes, want %d%%", name, all[name], same[name], floor)
			}
		})
	}
}

// equalAgain compares values by their bytes: NaN is not equal to itself.
func equalAgain(c codecs.Codec, v, w any) bool {
	a, errA := c.Encode(v)
	b, errB := c.Encode(w)
	return (errA == nil) == (errB == nil) && bytes.Equal(a, b)
}
