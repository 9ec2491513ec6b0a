package journal

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Place is where a reader is, the newest page first. The zero value is before the first one.
type Place struct {
	From string `json:",omitempty"` // time of the last page that was read
	Skip int    `json:",omitempty"` // pages of that time that were read
}

// stepPages is how many pages are read at once: some 50 KiB of records mostly.
const stepPages = 8

// Count returns how many records the journal of a queue has.
func Count(ctx context.Context, rdb redis.Scripter, k wire.Keys) (int64, error) {
	_, total, err := read(ctx, rdb, k, Place{}, 0)
	return total, err
}

// Read returns some records behind a place, and the next place: the same one at the end.
// Errors are those of [script.Script.Run].
func Read(ctx context.Context, rdb redis.Scripter, k wire.Keys, at Place) ([]Record, Place, error) {
	pages, _, err := read(ctx, rdb, k, at, stepPages)
	var out []Record
	for _, p := range pages {
		out = append(out, p.records(k)...)
		at = at.behind(p)
	}
	return out, at, err
}

// Bounds of Last.
const (
	lastSteps = 64
	lastBytes = 1 << 20
	lastWait  = time.Minute // a message that was cancelled in flight may have been handled all the same
)

// Last returns the newest record of the message with an ID, as users know it, or if that is
// empty, of one that was offered with the key; and whether there is one among the newest records,
// those of a MiB.
func Last(ctx context.Context, rdb redis.Scripter, k wire.Keys, id, key string) (r Record, found bool, err error) {
	key = Text(key)
	at, bytes := Place{}, 0
	for range lastSteps {
		pages, _, err := read(ctx, rdb, k, at, stepPages)
		if err != nil || len(pages) == 0 {
			return r, found, err
		}
		for _, p := range pages {
			for _, of := range p.records(k) {
				switch {
				case found && of.AtMs < r.AtMs-lastWait.Milliseconds():
					return r, true, nil
				case (id == "" || of.ID != id) && (id != "" || key == "" || of.Key != key):
				case of.Outcome != Cancelled:
					return of, true, nil
				case !found:
					r, found, id = of, true, of.ID
				}
			}
			at, bytes = at.behind(p), bytes+len(p.text)
		}
		if bytes >= lastBytes {
			break
		}
	}
	return r, found, nil
}

// read returns pages, and the number of all records.
func read(ctx context.Context, rdb redis.Scripter, k wire.Keys, at Place, most int) (pages []found, total int64, err error) {
	from := at.From
	if from == "" {
		from = "+inf"
	}
	value, err := readScript.Run(ctx, rdb, []string{k.Journal}, from, at.Skip, most)
	if err != nil {
		return nil, 0, err
	}
	r := script.NewReader(readScript, value)
	total, err = strconv.ParseInt(r.Text(), 10, 64)
	for r.More() {
		p := found{at: r.Text()}
		p.text = r.Text()
		pages = append(pages, p)
	}
	if r.Err() != nil {
		err = r.Err()
	}
	return pages, total, err
}

// found is a page in Redis.
type found struct{ at, text string }

// records returns what it tells, with IDs as users know them.
func (p found) records(k wire.Keys) []Record {
	out := parse(p.text)
	for i := range out {
		out[i].ID = wire.InPartition(k.Partition, out[i].ID)
	}
	return out
}

// behind is the place after a page.
func (p Place) behind(f found) Place {
	if p.From == f.at {
		p.Skip++
		return p
	}
	return Place{From: f.at, Skip: 1}
}

// Strike removes records from the journal of a queue, and returns how many. pause is called between
// steps. Errors are those of [script.Script.Run] and of pause; what was removed until then stays
// removed.
func Strike(ctx context.Context, rdb redis.Scripter, k wire.Keys, remove func(Record) bool, pause func() error) (removed int, err error) {
	for {
		// A page that has lost records may stand elsewhere among those of its time: look once more.
		n, err := strike(ctx, rdb, k, remove, pause)
		if removed += n; err != nil || n == 0 {
			return removed, err
		}
	}
}

func strike(ctx context.Context, rdb redis.Scripter, k wire.Keys, remove func(Record) bool, pause func() error) (removed int, err error) {
	for at := (Place{}); ; {
		pages, _, err := read(ctx, rdb, k, at, stepPages)
		if err != nil || len(pages) == 0 {
			return removed, err
		}
		for _, p := range pages {
			at = at.behind(p)
			text, n := p.without(k, remove)
			if n == 0 {
				continue
			}
			value, err := strikeScript.Run(ctx, rdb, []string{k.Journal}, p.text, text, n)
			if err != nil {
				return removed, err
			}
			if value == int64(1) {
				removed += n
			}
			if text == "" {
				at.Skip--
			}
		}
		if err := pause(); err != nil {
			return removed, err
		}
	}
}

// without returns the text of the page without some of its records, and how many these are.
func (p found) without(k wire.Keys, remove func(Record) bool) (text string, n int) {
	head, body, _ := strings.Cut(p.text, "\n")
	parts := strings.SplitN(head, string(separator), 2)
	var kept []string
	for line := range strings.Lines(body) {
		one := found{text: head + "\n" + line}.records(k)
		if len(one) == 1 && remove(one[0]) {
			n++
			continue
		}
		kept = append(kept, line)
	}
	if len(kept) == 0 {
		return "", n
	}
	parts[0] = strconv.Itoa(len(kept))
	return strings.Join(parts, string(separator)) + "\n" + strings.Join(kept, ""), n
}
