package jackson_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

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

// TestSameBytes: whatever Java wrote, of any class, beans among them that nothing describes,
// is read and written again byte for byte, also what Java itself refuses to read back; see
// Kinds.java and RandomValues.java in integration/java/src/vectors/json.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	for file, least := range map[string]int{
		"json-root-3.8.1.txt": 100, "json-root-3.16.0.txt": 100, "json-root-4.7.0.txt": 100, "json-nested-in-ArrayList-4.7.0.txt": 100,
		"kinds-3.8.1.tsv": 90, "kinds-3.18.1.tsv": 90, "kinds-4.7.0.tsv": 90, "random-3.8.1.tsv": 200, "random-3.18.1.tsv": 200, "random-4.7.0.tsv": 200,
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			release := file[strings.LastIndexByte(file, '-')+1 : len(file)-len(".txt")]
			c := jackson.JsonJackson(jackson.Since(release))
			for _, f := range rows(t, file, least) {
				if !strings.HasPrefix(f[1], "ENCODE FAIL") && f[0] != "keys" { // keys are the same as text
					sameBytes(t, c, f[0], []byte(f[1]))
				}
			}
		})
	}
	for _, f := range rows(t, "jsonjackson-4.7.0.tsv", 70) {
		sameBytes(t, jackson.JsonJackson(), f[1], codectest.FromHex(t, f[2]))
	}
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
		"hashmaps-3.8.1.tsv": jackson.JsonJackson(jackson.Since("3.11.5")),
		"hashmaps-4.7.0.tsv": jackson.JsonJackson(),
	} {
		for i, f := range rows(t, file, 150) {
			payload := codectest.FromHex(t, f[2])
			sameBytes(t, c, file, payload)
			v := codectest.Must(c.Decode(payload))(t)
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

// TestKindsOfFields: fields of all declared types go into a Go struct, and its bytes
// are Java's.
func TestKindsOfFields(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"3.8.1", "3.18.1", "4.7.0"} {
		typed := codectest.Typed[kinds](t, jackson.JsonJackson(jackson.Since(release)))
		n := 0
		for _, row := range rows(t, "kinds-"+release+".tsv", 90) {
			if !strings.Contains(row[1], `"demo.Kinds$Fields"`) || row[0] == "bs" {
				continue // the contents of a BitSet are not on the wire
			}
			n++
			v, err := typed.Decode([]byte(row[1]))
			if err != nil {
				t.Errorf("%s %s: %v\n%s", release, row[0], err, row[1])
				continue
			}
			// A getter without a field is written by Java alone, and ignored by all.
			want := strings.Replace(row[1], `,"ready":true`, "", 1)
			if got, err := typed.Encode(v); err != nil || string(got) != want {
				t.Errorf("%s %s: %v\nJava %s\nwe   %s", release, row[0], err, want, got)
			}
		}
		if n < 60 {
			t.Errorf("%s: only %d rows of fields", release, n)
		}
	}
}
