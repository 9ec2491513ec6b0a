package jackson_test

import (
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// rows reads a table of testdata, which has at least so many rows.
func rows(t testing.TB, file string, least int) [][]string {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for line := range strings.Lines(string(raw)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) > 1 && !strings.HasPrefix(line, "#") {
			out = append(out, f)
		}
	}
	if len(out) < least {
		t.Fatalf("%s: only %d rows", file, len(out))
	}
	return out
}

func sameBytes(t *testing.T, c codecs.Codec, name string, payload []byte) {
	t.Helper()
	v, err := c.Decode(payload)
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, payload)
		return
	}
	again, err := c.Encode(v)
	if err != nil || string(again) != string(payload) {
		t.Errorf("%s: %v\nJava %s\nwe   %s", name, err, payload, again)
	}
}

// TestSameBytes: whatever Java wrote, of any class, comes back and is written
// again byte for byte.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	for file, c := range map[string]codecs.Codec{
		"json-root-3.8.1.txt":                jackson.JsonJackson(jackson.Redisson3_8),
		"json-root-3.16.0.txt":               jackson.JsonJackson(),
		"json-root-4.7.0.txt":                jackson.JsonJackson(),
		"json-nested-in-ArrayList-4.7.0.txt": jackson.JsonJackson(),
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			for _, f := range rows(t, file, 100) {
				if !strings.HasPrefix(f[1], "ENCODE FAIL") {
					sameBytes(t, c, f[0], []byte(f[1]))
				}
			}
		})
	}
	t.Run("jsonjackson-4.7.0.tsv", func(t *testing.T) {
		t.Parallel()
		for _, f := range rows(t, "jsonjackson-4.7.0.tsv", 70) {
			payload, err := hex.DecodeString(f[2])
			if err != nil {
				t.Fatal(err)
			}
			sameBytes(t, jackson.JsonJackson(), f[1], payload)
		}
	})
}

// TestReadsWhatJavaReads: everything that Java accepts is accepted. What Java
// refuses for the sake of a class that only it knows, is read; what is no
// JSON, or misses its end, is not.
func TestReadsWhatJavaReads(t *testing.T) {
	t.Parallel()
	c := jackson.JsonJackson()
	for _, file := range []string{"json-java-accepts-3.16.0.txt", "json-java-accepts-4.7.0.txt"} {
		for _, f := range rows(t, file, 80) {
			_, err := c.Decode([]byte(f[0]))
			switch ok := strings.HasPrefix(f[1], "OK"); {
			case ok && err != nil:
				t.Errorf("%s: Java reads it: %v\n%s", file, err, f[0])
			case !ok && err == nil && strings.Contains(f[1], "JsonParseException"):
				t.Errorf("%s: Java finds no JSON in it: %s", file, f[0])
			}
		}
	}
}

// TestHashMaps: random maps and lists that Java wrote, of all scalars, decoded
// into plain Go maps and slices and written again: the order of a HashMap
// filled in sorted key order is simulated.
func TestHashMaps(t *testing.T) {
	t.Parallel()
	for file, c := range map[string]codecs.Codec{
		"hashmaps-3.8.1.tsv": jackson.JsonJackson(jackson.Redisson3_8),
		"hashmaps-4.7.0.tsv": jackson.JsonJackson(),
	} {
		for i, f := range rows(t, file, 150) {
			payload, err := hex.DecodeString(f[2])
			if err != nil {
				t.Fatal(err)
			}
			sameBytes(t, c, file, payload)
			v, err := c.Decode(payload)
			if err != nil {
				t.Fatal(err)
			}
			if got := java.ClassOf(v); got != f[1] {
				t.Errorf("%s %d: class %s, Java says %s", file, i, got, f[1])
			}
			plain, err := c.Encode(java.Plain(v))
			if err != nil || string(plain) != string(payload) {
				t.Errorf("%s %d: %v\nJava %s\nwe   %s", file, i, err, payload, plain)
			}
		}
	}
}
