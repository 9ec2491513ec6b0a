package partitions

import (
	"context"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Entry is the id of a dead letter in order: by its time, its number in that millisecond,
// and its partition.
type Entry struct {
	Ms, N     int64
	Partition int
}

// ParseEntry reads the text of an entry. What cannot be read is before all.
func ParseEntry(text string) (e Entry) {
	partition, rest, _ := wire.CutPartition(text)
	first, second, _ := strings.Cut(rest, "-")
	e.Partition = partition
	e.Ms, _ = strconv.ParseInt(first, 10, 64)
	e.N, _ = strconv.ParseInt(second, 10, 64)
	return e
}

// Less reports whether e comes before another entry.
func (e Entry) Less(o Entry) bool {
	switch {
	case e.Ms != o.Ms:
		return e.Ms < o.Ms
	case e.N != o.N:
		return e.N < o.N
	}
	return e.Partition < o.Partition
}

// Letter is an entry of a dead store and its partition.
type Letter struct {
	delayed.DeadEntry
	Partition int
}

// Text is the entry's id for users.
func (l Letter) Text() string { return wire.InPartition(l.Partition, l.ID) }

// DeadBounds choose entries by their ids; the zero value chooses all.
type DeadBounds struct {
	After        string // this entry and older ones are left out
	Since, Until int64  // ms; 0 is no bound
	Stop         bool   // what dies from now on is left out
	Newest       bool   // the newest first
	// Most is how many bytes of a payload are read; 0 is no bound, as with Newest.
	Most int
}

// MaxDeadPage is the most entries of a page.
const MaxDeadPage = 100

const (
	firstDeadPage = 8
	deadPageBytes = 4 << 20 // of all partitions together
)

// DeadWalk reads the dead stores of all partitions page by page, the oldest first or the
// newest. One goroutine owns it.
type DeadWalk struct {
	rdb    redisapi.Client
	parts  []deadPart
	newest bool
	most   int
}

// deadPart is what a walk knows of one store.
type deadPart struct {
	keys     wire.Keys
	from, to string
	size     int64               // of the next page
	page     []delayed.DeadEntry // read, and not handed out
	ended    bool
}

// WalkDead begins a walk.
func WalkDead(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, b DeadBounds) (*DeadWalk, error) {
	w := &DeadWalk{rdb: rdb, parts: make([]deadPart, len(keys)), newest: b.Newest, most: b.Most}
	after := ParseEntry(b.After)
	for i, k := range keys {
		p := &w.parts[i]
		*p = deadPart{keys: k, from: "-", to: "+", size: firstDeadPage}
		if b.Since > 0 {
			p.from = strconv.FormatInt(b.Since, 10)
		}
		if b.After != "" && after.Ms >= b.Since {
			_, p.from, _ = wire.CutPartition(b.After)
			if i <= after.Partition {
				p.from = "(" + p.from
			}
		}
		if b.Until > 0 {
			p.to = strconv.FormatInt(b.Until-1, 10)
		}
	}
	if !b.Stop {
		return w, nil
	}
	return w, each(ctx, len(keys), func(ctx context.Context, i int) error {
		p := &w.parts[i]
		found, err := rdb.XRevRangeN(ctx, p.keys.Dead, p.to, "-", 1).Result()
		if p.ended = len(found) == 0; !p.ended {
			p.to = found[0].ID
		}
		return rediserr.Classify("xrevrange", err)
	})
}

// Next returns the entries that follow, at most limit and [MaxDeadPage]; none at the end.
func (w *DeadWalk) Next(ctx context.Context, limit int64) ([]Letter, error) {
	limit = min(limit, MaxDeadPage)
	var out []Letter
	for int64(len(out)) < limit {
		first := -1
		for i := range w.parts {
			p := &w.parts[i]
			if len(p.page) == 0 && !p.ended {
				if len(out) > 0 { // more of it is not held at once
					return out, nil
				}
				if err := w.read(ctx, p, limit); err != nil {
					return nil, err
				}
			}
			if len(p.page) > 0 && (first < 0 || w.before(p, &w.parts[first])) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		p := &w.parts[first]
		out, p.page = append(out, Letter{p.page[0], first}), p.page[1:]
	}
	return out, nil
}

// before reports whether the next entry of a store comes before that of another one, whose
// partition is lower.
func (w *DeadWalk) before(a, b *deadPart) bool {
	next, other := ParseEntry(a.page[0].ID), ParseEntry(b.page[0].ID)
	if w.newest {
		return !next.Less(other)
	}
	return next.Less(other)
}

// read reads the next page of one store.
func (w *DeadWalk) read(ctx context.Context, p *deadPart, limit int64) error {
	want := min(p.size, limit)
	page, err := w.page(ctx, p, want)
	if err != nil {
		return err
	}
	if p.page = page; len(page) == 0 {
		p.ended = true
		return nil
	}
	if next := "(" + page[len(page)-1].ID; w.newest {
		p.to = next
	} else {
		p.from = next
	}
	bytes := 0
	for _, m := range page {
		bytes += m.Bytes
	}
	p.size = delayed.NextPage(p.size, int64(len(page)), bytes, max(deadPageBytes/int64(len(w.parts)), 1), MaxDeadPage)
	return nil
}

// page asks for the next page of one store.
func (w *DeadWalk) page(ctx context.Context, p *deadPart, want int64) ([]delayed.DeadEntry, error) {
	if w.most > 0 && !w.newest {
		return delayed.PageLetters(ctx, w.rdb, p.keys, p.from, p.to, want, w.most)
	}
	ask := w.rdb.XRangeN(ctx, p.keys.Dead, p.from, p.to, want)
	if w.newest {
		ask = w.rdb.XRevRangeN(ctx, p.keys.Dead, p.to, p.from, want)
	}
	found, err := ask.Result()
	page := make([]delayed.DeadEntry, len(found))
	for i, m := range found {
		page[i] = delayed.EntryOf(m)
	}
	return page, rediserr.Classify("xrange", err)
}

// GetDead returns one entry; ok is false where there is none.
func GetDead(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, entry string) (l Letter, ok bool, err error) {
	partition, id, ok := wire.CutPartition(entry)
	if !ok || partition >= len(keys) {
		return Letter{}, false, nil
	}
	found, err := rdb.XRangeN(ctx, keys[partition].Dead, id, id, 1).Result()
	if err != nil {
		return Letter{}, false, rediserr.Classify("xrange", err)
	}
	if len(found) == 0 || found[0].ID != id { // half an id finds the first of its ms
		return Letter{}, false, nil
	}
	return Letter{delayed.EntryOf(found[0]), partition}, true, nil
}

// DropDead deletes entries, and returns how many there were.
func DropDead(ctx context.Context, rdb redisapi.Client, keys []wire.Keys, entries []string) (dropped int64, err error) {
	for partition, some := range byPartition(entries, len(keys)) {
		n, err := rdb.XDel(ctx, keys[partition].Dead, some...).Result()
		if dropped += n; err != nil {
			return dropped, rediserr.Classify("xdel", err)
		}
	}
	return dropped, nil
}

// byPartition groups entries of n partitions, as they stand in Redis.
func byPartition(entries []string, n int) map[int][]string {
	groups := map[int][]string{}
	for _, e := range entries {
		if partition, id, ok := wire.CutPartition(e); ok && partition < n {
			groups[partition] = append(groups[partition], id)
		}
	}
	return groups
}

// Redrive is [delayed.Redrive] of entries of all partitions, whose statuses it returns in
// their order. With an error it has those that were asked about before, and "" for the
// others.
func Redrive(ctx context.Context, rdb redis.Scripter, keys []wire.Keys, args delayed.RedriveArgs) ([]delayed.RedriveStatus, error) {
	statuses := make([]delayed.RedriveStatus, len(args.Entries))
	groups, places := map[int][]delayed.RedriveEntry{}, map[int][]int{}
	for i, e := range args.Entries {
		partition, id, ok := wire.CutPartition(e.Entry)
		if !ok || partition >= len(keys) {
			statuses[i] = delayed.RedriveGone
			continue
		}
		groups[partition] = append(groups[partition], delayed.RedriveEntry{Entry: id, Delay: e.Delay})
		places[partition] = append(places[partition], i)
	}
	for partition, entries := range groups {
		args.Entries = entries
		some, err := delayed.Redrive(ctx, rdb, keys[partition], args)
		if err != nil {
			return statuses, err
		}
		for i, s := range some {
			statuses[places[partition][i]] = s
		}
	}
	return statuses, nil
}
