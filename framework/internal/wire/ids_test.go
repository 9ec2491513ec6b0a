package wire

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
)

func TestIDsGrow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	ids := IDsAt(func() time.Time { return now }, RandomTail())
	last := ids.Next()
	for i := range 1000 {
		switch i % 3 {
		case 1:
			now = now.Add(time.Millisecond)
		case 2:
			now = now.Add(-3 * time.Millisecond) // a clock that steps back
		}
		id := ids.Next()
		if !id.Universal() || bytes.Compare(id.Raw[:], last.Raw[:]) <= 0 {
			t.Fatalf("%x after %x", id.Raw, last.Raw)
		}
		last = id
	}
	later := IDsAt(func() time.Time { return now.Add(time.Minute) }, RandomTail()).Next()
	if bytes.Compare(later.Raw[:], last.Raw[:]) <= 0 {
		t.Errorf("an id of a later process, %x, is not larger than %x", later.Raw, last.Raw)
	}
}

func TestIDsOfTwoProcessesDiffer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	one, two := IDsAt(clock, RandomTail()), IDsAt(clock, RandomTail())
	two.tail = one.tail ^ 1
	if one.Next() == two.Next() {
		t.Error("same id with different tails")
	}
	tails := make(map[uint64]bool)
	for range 50 {
		two.Collided()
		tails[two.tail] = true
	}
	if len(tails) < 25 {
		t.Errorf("only %d different tails in 50 draws", len(tails))
	}
}

func TestIDsBeforeEpochAndConcurrent(t *testing.T) {
	t.Parallel()
	ids := IDsAt(func() time.Time { return idEpoch.Add(-time.Hour) }, RandomTail())
	var mu sync.Mutex
	seen := make(map[ElementID]bool)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				id := ids.Next()
				mu.Lock()
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(seen) != 2000 {
		t.Errorf("%d different ids of 2000", len(seen))
	}
}

func TestFormatID(t *testing.T) {
	t.Parallel()
	raw := [8]byte{7, 'a', 'b', 'c', 'd', 'e', 'f', 'g'}
	cases := []struct {
		name string
		due  int64
		id   ElementID
		want string
	}{
		{"universal", 1700000000000, ElementID{KindFirst, raw}, "18bcfe56800-61626364656667"},
		{"Java, new", 255, ElementID{KindJava, raw}, "ff-j0761626364656667"},
		{"Java, old", 0, ElementID{KindFirst, [8]byte{0x81, 0xe9, 0x7d, 0xf4, 0x10, 0x22, 0xb1, 0xc3}}, "0-d81e97df41022b1c3"},
		{"other", 5, ElementID{Kind: KindOther}, ""},
		{"unknown", 5, ElementID{}, ""},
		{"negative due", -1, ElementID{KindJava, raw}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := FormatID(c.due, c.id)
			if got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			if got == "" {
				return
			}
			want := MessageID{DueMs: c.due, Element: c.id}
			if id, err := ParseID(got); err != nil || id != want {
				t.Errorf("parsed %+v %v", id, err)
			}
			want.Partition = 37
			if text := want.String(); text != "37."+got {
				t.Errorf("partition 37: %q", text)
			}
			if id, err := ParseID("37." + got); err != nil || id != want {
				t.Errorf("parsed %+v %v", id, err)
			}
		})
	}
}

func TestParseIDRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "-", "ff", "ff-", "-61626364656667", "zz-61626364656667", "FF-61626364656667",
		"0ff-61626364656667", "20000000000000-61626364656667", "ff-6162636465666", "ff-6162636465666G",
		"ff-6162636465666A", "ff-j6162636465666", "ff-j", "ff-d0761626364656667", "+f-61626364656667",
		".ff-61626364656667", "0.ff-61626364656667", "01.ff-61626364656667", "-1.ff-61626364656667", "16384.ff-61626364656667",
		"x.ff-61626364656667", "1.", "1.2.ff-61626364656667",
	} {
		_, err := ParseID(text)
		var e *fault.IDError
		if !errors.As(err, &e) || e.Text != text || e.Error() == "" {
			t.Errorf("%q: got %v, want an fault.IDError", text, err)
		}
	}
}

func FuzzParseID(f *testing.F) {
	for _, seed := range []string{
		"18bcfe56800-61626364656667", "ff-j0761626364656667", "0-d81e97df41022b1c3", "0-d0000000000000", "-", "ff-j", "12.ff-j0761626364656667",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ParseID(text)
		if err != nil {
			var e *fault.IDError
			if !errors.As(err, &e) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		if again := id.String(); again != text {
			t.Fatalf("%q reads as %+v, which is %q", text, id, again)
		}
	})
}
