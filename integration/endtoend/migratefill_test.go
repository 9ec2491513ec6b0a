package endtoend_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/admin"
)

// mixedLayouts is a queue of n pending elements: a third as Redisson up to 3.21.0 wrote
// them, a third as it has since, a third universal; with random due times.
type mixedLayouts struct {
	name string
	n    int
}

const (
	fillPage = 2000
	fillBase = 4_000_000_000_000 // ms: far away
)

func (f mixedLayouts) set() string  { return "redisson_delay_queue_timeout:{" + f.name + "}" }
func (f mixedLayouts) list() string { return "redisson_delay_queue:{" + f.name + "}" }

// due scatters the due times: neighbours in the list are far from each other in the set.
func (f mixedLayouts) due(i int) int64 { return fillBase + int64(i)*7_919%int64(f.n) }

func (f mixedLayouts) payload(i int) string {
	return fmt.Sprintf("a payload of some length, number %d", i)
}

func (f mixedLayouts) element(i int) string {
	payload := f.payload(i)
	e := make([]byte, 0, 17+len(payload))
	switch i % 3 {
	case 0:
		e = binary.LittleEndian.AppendUint64(e, math.Float64bits(-float64(i)-1e15))
	case 1:
		e = binary.BigEndian.AppendUint64(append(e, 8), uint64(i)*2654435761)
	default:
		e = binary.BigEndian.AppendUint64(e, 7<<56|uint64(i))
	}
	e = binary.LittleEndian.AppendUint64(e, uint64(len(payload)))
	return string(append(e, payload...))
}

func (f mixedLayouts) write(t *testing.T, rdb redis.UniversalClient) {
	t.Helper()
	for at := 0; at < f.n; at += fillPage {
		var members []redis.Z
		var entries []any
		for i := at; i < min(at+fillPage, f.n); i++ {
			e := f.element(i)
			members = append(members, redis.Z{Score: float64(f.due(i)), Member: e})
			entries = append(entries, e)
		}
		pipe := rdb.Pipeline()
		pipe.ZAdd(t.Context(), f.set(), members...)
		pipe.RPush(t.Context(), f.list(), entries...)
		if _, err := pipe.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// counted checks what a whole migration reported.
func (f mixedLayouts) counted(t *testing.T, c admin.LayoutCounts) {
	t.Helper()
	old, universal := int64(f.n+2)/3, int64(f.n)/3
	if c.Old != old || c.Foreign() != int64(f.n)-universal || c.Rewritten != c.Foreign() ||
		c.Universal != int64(f.n) || c.Left() != 0 || c.Malformed+c.Ambiguous+c.Ghosts != 0 {
		t.Errorf("%+v, want %d old ones of %d", c, old, f.n)
	}
}

// check compares the set and the list with what was written: every payload once, with
// its due time, and the list in its order; universal says what all elements must be.
func (f mixedLayouts) check(t *testing.T, rdb redis.UniversalClient, universal bool) {
	t.Helper()
	const header = 16
	seen := make([]bool, f.n)
	inSet := make(map[string]struct{}, f.n)
	for at := 0; at < f.n; at += fillPage {
		page, err := rdb.ZRangeWithScores(t.Context(), f.set(), int64(at), int64(at+fillPage-1)).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, z := range page {
			e, _ := z.Member.(string)
			i, err := strconv.Atoi(lastWord(e))
			if err != nil || i >= f.n || seen[i] || int64(z.Score) != f.due(i) {
				t.Fatalf("element %q of due time %v: %v, or twice, or late", e, z.Score, err)
			}
			if universal && (e[0] != 7 || e[header:] != f.payload(i)) {
				t.Fatalf("element %q is not universal", e)
			}
			seen[i] = true
			inSet[e] = struct{}{}
		}
	}
	if len(inSet) != f.n || rdb.ZCard(t.Context(), f.set()).Val() != int64(f.n) {
		t.Fatalf("%d elements, want %d", len(inSet), f.n)
	}
	next := 0
	for at := int64(0); ; at += fillPage {
		page, err := rdb.LRange(t.Context(), f.list(), at, at+fillPage-1).Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page {
			if _, ok := inSet[e]; !ok || lastWord(e) != strconv.Itoa(next) {
				t.Fatalf("entry %d of the list is %q (in the set: %v)", next, e, ok)
			}
			next++
		}
		if len(page) < fillPage {
			break
		}
	}
	if next != f.n {
		t.Fatalf("the list ends at %d of %d", next, f.n)
	}
}

// lastWord is the number at the end of an element.
func lastWord(e string) string {
	at := len(e)
	for at > 0 && e[at-1] != ' ' {
		at--
	}
	return e[at:]
}
