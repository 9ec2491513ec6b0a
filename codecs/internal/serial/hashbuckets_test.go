package serial_test

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/serial"
)

// TestHashBuckets compares with the tables of Java's maps: integration/java/src/vectors/serial/HashBuckets.java.
func TestHashBuckets(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/hashbuckets.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read from
	rows, early := 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		f := strings.Split(lines.Text(), "\t")
		var keys []any
		if f[2] != "" {
			for k := range strings.SplitSeq(f[2], ",") {
				keys = append(keys, k)
			}
		}
		if got := serial.HashBuckets(keys); strconv.Itoa(int(got)) != f[0] {
			t.Errorf("ascending %s: %d buckets, Java has %s", f[2], got, f[0])
		}
		if got := serial.InsertionHashBuckets(keys); strconv.Itoa(int(got)) != f[1] {
			t.Errorf("as given %s: %d buckets, Java has %s", f[2], got, f[1])
		}
		if n := len(keys); n <= 12 && f[0] != "16" || n > 12 && n <= 24 && f[0] != "32" {
			early++
		}
	}
	if rows < 150 || early < 10 {
		t.Errorf("%d rows, %d of them grew early: too few to show anything", rows, early)
	}
}
