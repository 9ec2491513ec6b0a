package jackson_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// TestRandomValues: random values of every class that Java wrote, beans among them
// that nothing describes, are read and written again byte for byte; see
// integration/java/src/vectors/json/RandomValues.java. What Java itself refuses to read back is carried too.
func TestRandomValues(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"3.8.1", "3.18.1", "4.7.0"} {
		c := jackson.JsonJackson(jackson.Since(release))
		for _, row := range rows(t, "random-"+release+".tsv", 200) {
			sameBytes(t, c, release, []byte(row[1]))
		}
	}
}

// TestKinds: what Java makes of values of all kinds is written again byte for byte
// without a Go type; see integration/java/src/vectors/json/Kinds.java.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"3.8.1", "3.18.1", "4.7.0"} {
		c := jackson.JsonJackson(jackson.Since(release))
		for _, row := range rows(t, "kinds-"+release+".tsv", 90) {
			if strings.HasPrefix(row[1], "ENCODE FAIL") || row[0] == "keys" {
				continue // no bytes, or keys that are the same as text
			}
			sameBytes(t, c, release+" "+row[0], []byte(row[1]))
		}
	}
}

// TestKindsOfFields: fields of all declared types go into a Go struct, and its bytes
// are Java's.
func TestKindsOfFields(t *testing.T) {
	t.Parallel()
	for _, release := range []string{"3.8.1", "3.18.1", "4.7.0"} {
		typed, err := codecs.For[kinds](jackson.JsonJackson(jackson.Since(release)), codecs.BindOptions{})
		if err != nil {
			t.Fatal(err)
		}
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
