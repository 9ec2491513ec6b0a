package journal

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

func write(t *testing.T, rdb *redis.Client, k wire.Keys, b *Book, pages []Page) {
	t.Helper()
	if _, err := writeScript.Run(t.Context(), rdb, []string{k.Journal}, b.Args(nil, pages)...); err != nil {
		t.Fatal(err)
	}
}

// undecoded is where tests decode nothing.
func undecoded([]byte) (any, error) { return nil, nil }

// all reads a journal from its end.
func all(t *testing.T, rdb *redis.Client, k wire.Keys) (out []Record) {
	t.Helper()
	for at := (Place{}); ; {
		part, next, err := Read(t.Context(), rdb, k, at)
		if err != nil {
			t.Fatal(err)
		}
		if next == at {
			return out
		}
		out, at = append(out, part...), next
	}
}

func ids(rs []Record) string {
	var b strings.Builder
	for _, r := range rs {
		b.WriteString(r.ID + " ")
	}
	return strings.TrimSpace(b.String())
}

// What is written is read, the newest first, whatever is in its texts; and a page that is sent
// again, as after a lost reply, changes nothing.
func TestWriteAndRead(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), time.Now().UnixMilli()
	k.Partition = 3
	b := newBook(time.Hour, 1000, []string{"orderId", "customer.name\t"}, undecoded)
	var p Pages
	p.Add(b, &Record{Outcome: Handled, ID: "a-1", AtMs: now, LateMs: 12, Attempt: 1, Key: "k\t\\1\n\r"}, wire.MessageID{}, map[string]any{"orderId": 4711, "rest": "x"})
	p.Add(b, &Record{Outcome: Dead, ID: "a-2", AtMs: now + 1, LateMs: -1, Attempt: 20, Reason: "exhausted"}, wire.MessageID{}, map[string]any{"orderId": []any{"\n", "ä=\t"}})
	pages := p.Take()
	write(t, rdb, k, b, pages)
	p.Add(b, &Record{Outcome: Cancelled, AtMs: now + 2, LateMs: -1}, wire.MessageID{}, nil)
	p.PutBack(pages)
	write(t, rdb, k, b, p.Take())

	want := []Record{
		{Outcome: Cancelled, AtMs: now + 2, LateMs: -1, By: writer()},
		{Outcome: Dead, ID: "3.a-2", AtMs: now + 1, LateMs: -1, Attempt: 20, Reason: "exhausted", Values: []Value{{"orderId", "\n"}, {"orderId", "ä=\t"}}, By: writer()},
		{Outcome: Handled, ID: "3.a-1", AtMs: now, LateMs: 12, Attempt: 1, Key: "k\t\\1\n\r", Values: []Value{{"orderId", "4711"}}, By: writer()},
	}
	if got := all(t, rdb, k); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("read %+v\nwant %+v", got, want)
	}
	if n, err := Count(t.Context(), rdb, k); n != 3 || err != nil {
		t.Errorf("%d records, %v", n, err)
	}
	if left := rdb.PTTL(t.Context(), k.Journal).Val(); left <= 59*time.Minute || left > time.Hour {
		t.Errorf("the journal ends in %v", left)
	}
}

// A tool that knows no declaration writes where there is a journal, and changes no bounds.
func TestWriteWhereThereIsAJournal(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, tool := queuetest.NewQueue(), newBook(0, 0, nil, nil)
	cancelled := func() {
		tool.Cancelled(t.Context(), slog.New(slog.DiscardHandler), rdb, k, "a-1", "key", []byte("x"))
	}
	cancelled()
	if n := rdb.Exists(t.Context(), k.Journal).Val(); n != 0 {
		t.Fatal("it began a journal")
	}
	var p Pages
	b := newBook(time.Hour, 1000, nil, nil)
	p.Add(b, &Record{Outcome: Handled, ID: "old", AtMs: 1}, wire.MessageID{}, nil)
	write(t, rdb, k, b, p.Take())
	p.Add(b, &Record{Outcome: Handled, ID: "a-0", AtMs: time.Now().UnixMilli() - 5}, wire.MessageID{}, nil)
	write(t, rdb, k, b, p.Take())
	rdb.PExpire(t.Context(), k.Journal, time.Minute)
	cancelled()
	if got := all(t, rdb, k); ids(got) != "a-1 a-0" || got[0].Outcome != Cancelled || got[0].Key != "key" {
		t.Errorf("%+v", got)
	}
	if left := rdb.PTTL(t.Context(), k.Journal).Val(); left > time.Minute {
		t.Errorf("the journal ends in %v", left)
	}
}

// Old records go, and the oldest of too many; what is left is counted right.
func TestBounds(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k, now := queuetest.NewQueue(), queuetest.NowMs(t, rdb)
	b := newBook(time.Hour, 1000, nil, nil)
	// add writes as takes and acks do, which delete little.
	acks := library.New("add", "-- add: pages.\n-- Needs: journaladd\njournal_add(KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), 3)\nreturn 1")
	add := func(n int, at int64) {
		var p Pages
		for i := range n {
			p.Add(b, &Record{Outcome: Handled, ID: fmt.Sprint(at, i), AtMs: at}, wire.MessageID{}, nil)
		}
		queuetest.Must[any](t)(acks.Run(t.Context(), rdb, []string{k.Journal}, b.Args(nil, p.Take())...))
	}
	check := func(what string, want int) {
		t.Helper()
		n, err := Count(t.Context(), rdb, k)
		if got := len(all(t, rdb, k)); got != want || n != int64(want) || err != nil {
			t.Errorf("%s: %d records, counted %d, %v; want %d", what, got, n, err, want)
		}
	}
	if left, err := b.Trim(t.Context(), rdb, k); left != 0 || err != nil || rdb.Exists(t.Context(), k.Journal).Val() == 0 {
		t.Errorf("the engine begins the journal: %d, %v", left, err)
	}
	for i := range int64(50) {
		add(10, now-time.Hour.Milliseconds()-1000+i) // they become too old
	}
	add(7, now+1)
	check("as they were written", 507)
	if left, err := b.Trim(t.Context(), rdb, k); left != 507-32*10 || err != nil {
		t.Errorf("trimmed once: %d are left, %v", left, err)
	}
	if left, err := b.Trim(t.Context(), rdb, k); left != 7 || err != nil {
		t.Errorf("trimmed twice: %d are left, %v", left, err)
	}
	check("trimmed", 7)
	for i := range int64(40) {
		add(100, now+2+i)
	}
	check("the newest", 1000)
	add(600, now+50) // two pages
	check("a large one", 1000)
	if left := rdb.PTTL(t.Context(), k.Journal).Val(); left <= 59*time.Minute || left > time.Hour {
		t.Errorf("the journal ends in %v", left)
	}
}

// Records of a person go, also from the middle of a page; the others stay as they were.
func TestStrike(t *testing.T) {
	t.Parallel()
	rdb := lab.Shared.Client()
	k := queuetest.NewQueue()
	b := newBook(time.Hour, 100_000, []string{"who"}, undecoded)
	var p Pages
	var want []string
	now := time.Now().UnixMilli()
	for page := range 40 {
		for i := range 1 + page%7 {
			r := &Record{Outcome: Handled, ID: fmt.Sprintf("%d-%d", page, i), AtMs: now + int64(page/10)} // of one time
			who := "others"
			switch {
			case page == 5, page == 6, (page+i)%5 == 0:
				r.Key = "person"
			case (page+i)%5 == 1:
				who = "person"
			default:
				want = append(want, r.ID)
			}
			p.Add(b, r, wire.MessageID{}, map[string]any{"who": who})
		}
		write(t, rdb, k, b, p.Take())
	}
	before := all(t, rdb, k)
	person := func(r Record) bool { return r.Key == "person" || slices.Contains(r.Values, Value{"who", "person"}) }
	steps := 0
	n, err := Strike(t.Context(), rdb, k, person, func() error { steps++; return nil })
	if err != nil || n != len(before)-len(want) || steps < 5 {
		t.Errorf("%d removed in %d steps, %v; want %d", n, steps, err, len(before)-len(want))
	}
	kept := slices.DeleteFunc(before, person)
	got := all(t, rdb, k)
	order := func(a, b Record) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(kept, order)
	slices.SortFunc(got, order)
	if fmt.Sprint(got) != fmt.Sprint(kept) {
		t.Errorf("left %v\nwant %v", got, kept)
	}
	if total, _ := Count(t.Context(), rdb, k); total != int64(len(want)) {
		t.Errorf("%d are counted, want %d", total, len(want))
	}
}

// A page holds so many records, and texts are cut.
func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	b := newBook(time.Hour, 1000, []string{"list"}, undecoded)
	var p Pages
	long := make([]any, 1000)
	for i := range long {
		long[i] = strings.Repeat("ö", 1000)
	}
	for range maxRecords + 1 {
		p.Add(b, &Record{Outcome: Handled, Key: strings.Repeat("x", 10_000)}, wire.MessageID{}, map[string]any{"list": long})
	}
	pages := p.Take()
	if len(pages) != 2 || pages[0].n != maxRecords || pages[1].n != 1 || len(pages[1].text) > 32*maxText {
		t.Errorf("%d pages, the last has %d records and %d bytes", len(pages), pages[len(pages)-1].n, len(pages[len(pages)-1].text))
	}
	if r := parse(string(pages[1].text))[0]; len(r.Values) != maxValues || len(r.Key) > maxText+3 || !strings.HasSuffix(r.Values[0].Text, "…") {
		t.Errorf("%+v", r)
	}
}

// FuzzParse reads pages that a person wrote, or somebody else: what is no record is left out.
func FuzzParse(f *testing.F) {
	f.Add("1    \t17\thost/1\torderId\nh\ta-1\t0\t2\t1\t\tkey\t0=7\n")
	f.Add("2\t1\t\nh\t\t\t\t\n\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		page := found{text: text}
		records := page.records(wire.KeysOf("q"))
		if _, n := page.without(wire.KeysOf("q"), func(Record) bool { return true }); n != len(records) {
			t.Errorf("%d records, %d to be removed", len(records), n)
		}
	})
}
