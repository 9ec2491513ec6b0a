package javatext

import (
	"encoding/hex"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestAgainstJava compares with testdata/javatext.tsv, which
// integration/java/src/vectors/javatext/Capture.java printed.
func TestAgainstJava(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/javatext.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		if got := ours(t, f[0], f[1]); got != f[2] {
			t.Errorf("%s %s: Java prints %q, we %q", f[0], f[1], f[2], got)
		}
		if f[0] == "d" {
			back, err := ParseDouble(f[2])
			if err != nil || back != bitsOf(t, f[1]) && back == back {
				t.Errorf("reading %q: %v, %v", f[2], back, err)
			}
		}
	}
	if n < 1000 {
		t.Fatalf("only %d rows", n)
	}
}

func bitsOf(t *testing.T, s string) float64 {
	t.Helper()
	u, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float64frombits(u)
}

func ours(t *testing.T, kind, in string) string {
	t.Helper()
	if kind == "d" {
		return string(AppendDouble(nil, bitsOf(t, in)))
	}
	if kind == "f" {
		u, err := strconv.ParseUint(in, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		return string(AppendFloat(nil, math.Float32frombits(uint32(u))))
	}
	b, err := hex.DecodeString(in)
	if err != nil {
		t.Fatal(err)
	}
	if kind == "utf8" {
		return hex.EncodeToString([]byte(DecodeUTF8(b)))
	}
	f, err := ParseDouble(string(b))
	if err != nil {
		return "ERR"
	}
	return string(AppendDouble(nil, f))
}

func TestSurrogate(t *testing.T) {
	t.Parallel()
	if u, ok := Surrogate("\xed\xa0\xbd!"); !ok || u != 0xD83D {
		t.Errorf("%x %v", u, ok)
	}
	for _, s := range []string{"", "\xed\xa0", "\xed\x9f\xbf", "é!!"} {
		if _, ok := Surrogate(s); ok {
			t.Errorf("%q is no lone surrogate", s)
		}
	}
}

func FuzzParseDouble(f *testing.F) {
	for _, s := range []string{"1.0", "-0x1.8p3", "NaN", "1e400", "1_0", "5.d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseDouble(s)
		if err != nil {
			return
		}
		back, err := ParseDouble(string(AppendDouble(nil, v)))
		if err != nil || back != v && v == v {
			t.Fatalf("%q: %v came back as %v (%v)", s, v, back, err)
		}
	})
}
