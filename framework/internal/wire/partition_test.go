package wire

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What the Java class gives for the same, see PartitionRows in integration/java.
func TestPartitionsAsInJava(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/partitions.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows := 0
	for in := bufio.NewScanner(file); in.Scan(); rows++ {
		f := strings.Split(in.Text(), "\t")
		n, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		var got string
		switch f[0] {
		case "name":
			got = PartitionName(f[1], n)
		case "key":
			got = strconv.Itoa(PartitionOf(f[1], n))
		}
		if got != f[3] {
			t.Errorf("%s %q %d: got %s, Java has %s", f[0], f[1], n, got, f[3])
		}
	}
	if rows < 200 {
		t.Errorf("%d rows", rows)
	}
}

// Any number of partitions divides the slots evenly: no gap is much larger than that of
// the next power of two.
func TestPartitionNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.StringMatching(`[a-zA-Z0-9_:.%{}-]{1,40}`).Draw(rt, "name")
		n := rapid.IntRange(2, 64).Draw(rt, "n")
		seen, slots := map[string]bool{}, make([]int, 0, n)
		for i := range n {
			p := PartitionName(name, i)
			if i > 0 {
				if err := CheckName(p); err != nil {
					rt.Fatalf("partition %d: %v", i, err)
				}
			}
			if seen[p] {
				rt.Fatalf("%q twice", p)
			}
			seen[p] = true
			if queue, of, ok := PartitionedBy(p); i > 0 && (queue != name || of != i || !ok || !strings.HasPrefix(p, PartitionsPrefix(name))) {
				rt.Fatalf("%q is partition %d of %q %v", p, of, queue, ok)
			}
			slots = append(slots, Slot(p))
		}
		slices.Sort(slots)
		whole := Slots / n
		for n&(n-1) != 0 { // of a number between powers of two, some gaps are twice as large
			n &= n - 1
			whole = Slots / n
		}
		for i, slot := range slots {
			gap := (slots[(i+1)%len(slots)] - slot + Slots) % Slots
			if gap > whole+80 {
				rt.Fatalf("gap of %d slots behind %d, want about %d: %v", gap, slot, whole, slots)
			}
		}
	})
}

// With more partitions a key stays, or moves to a new one; and no name belongs to two queues.
func TestPartitionOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		key := rapid.String().Draw(rt, "key")
		n := rapid.IntRange(1, 255).Draw(rt, "n")
		before, after := PartitionOf(key, n), PartitionOf(key, n+1)
		if before < 0 || before >= n || after != before && after != n {
			rt.Fatalf("%d of %d, %d of %d", before, n, after, n+1)
		}
		one, other := rapid.String().Draw(rt, "one"), rapid.String().Draw(rt, "other")
		if i := rapid.IntRange(1, 255).Draw(rt, "i"); one != other && PartitionName(one, i) == PartitionName(other, i) {
			rt.Fatalf("partition %d of %q and %q", i, one, other)
		}
	})
	counts := make([]int, 32)
	for i := range 32_000 {
		counts[PartitionOf("order-"+strconv.Itoa(i), len(counts))]++
	}
	for p, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("partition %d has %d of 32,000 keys", p, n)
		}
	}
}
