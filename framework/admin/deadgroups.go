package admin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/errtext"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// DeadGroup is dead letters of one cause: of one reason and one class, with errors that differ
// in numbers, ids, quoted texts and addresses alone.
type DeadGroup struct {
	Key    string // names the group, for as long as payloads are read the same way
	Reason string // one of the Reason constants of handlers
	Class  string // Java's, of the payload; empty where it was not read, as with more than MostRead bytes, or names none
	Text   string // of the errors, with words such as N and ID in place of what differs

	Count       int64
	First, Last time.Time // when they died
	Newest      string    // the entry that died last
	New         bool      // none of them died before Since of the options
}

// Filter chooses the letters of the group, for [framework.RedriveOptions] and the like: those
// too that die later. Payloads are those by which the group was made.
func (g DeadGroup) Filter(p Payloads) framework.DeadFilter {
	return framework.DeadFilter{
		Reasons: []string{g.Reason}, Group: g.Key,
		Choose: func(m framework.DeadMessage) bool { return deadGroupOf(m, p.reading()).Key == g.Key },
	}
}

// DeadGroupsOptions shape [GroupDead].
type DeadGroupsOptions struct {
	// Payloads say how payloads are read; without Decode all have no class.
	Payloads Payloads
	// Filter chooses the letters that are grouped.
	Filter framework.DeadFilter
	// Since marks groups as New of which none died before: a deploy, say. The zero time marks
	// none.
	Since time.Time
	// Time bounds one call. Defaults to DefaultSearchTime.
	Time time.Duration
	// Share is as in [SearchOptions].
	Share float64
	// Most bounds the groups; further ones are counted together in Others. Defaults to 200.
	Most int
	// Progress is called after each step with what was found so far, on the caller's
	// goroutine. May be nil.
	Progress func(DeadGroups)
}

// DeadGroups are the dead letters of a queue by their causes, as far as they were looked at.
type DeadGroups struct {
	Groups []DeadGroup // the one with the newest letter first
	Others int64       // letters of groups beyond Most
	Seen   int64       // letters that were looked at
	Of     int64       // those that there were as it began
	Done   bool
	Last   string // the entry looked at last
}

// GroupDead groups the dead letters of a queue, named as for [Diagnose]. It looks at each of
// them, oldest first, within Share, until Time is over; called again with what it returned it
// goes on, and once Done it adds what has died since. so is the zero value to begin. With an
// error it returns what was found so far.
func GroupDead(ctx context.Context, c *framework.Client, queue string, so DeadGroups, o DeadGroupsOptions) (DeadGroups, error) {
	if o.Time <= 0 {
		o.Time = DefaultSearchTime
	}
	if o.Most <= 0 {
		o.Most = 200
	}
	q, err := Queue(ctx, c, queue)
	if err != nil {
		return so, err
	}
	if so.Last == "" {
		counts, err := q.Counts(ctx)
		if err != nil {
			return so, err
		}
		so.Of = counts.Dead
	}
	so.Groups, so.Done = slices.Clone(so.Groups), false
	at := map[string]int{}
	for i, g := range so.Groups {
		at[g.Key] = i
	}
	p, ends, read := budget.PaceWithin(o.Share, DefaultFieldShare), time.Now().Add(o.Time), o.Payloads.reading()
	most := MostRead
	if o.Filter.Class != "" || o.Filter.Payload != nil || o.Filter.Choose != nil { // they look into payloads
		most = delayed.Whole
	}
	for {
		page, err := budget.Ask(ctx, &p, func() ([]framework.DeadMessage, error) { return q.Dead().Beginnings(ctx, so.Last, 100, most) })
		if err != nil {
			return so.sorted(o), err
		}
		for _, m := range page {
			if so.Seen++; o.Filter.Matches(m) {
				so.add(at, deadGroupOf(m, read), o.Most)
			}
			so.Last = m.Entry
		}
		so.Of = max(so.Of, so.Seen)
		if so.Done = len(page) == 0; o.Progress != nil {
			o.Progress(so)
		}
		if so.Done || time.Now().After(ends) {
			return so.sorted(o), nil
		}
	}
}

func (d *DeadGroups) add(at map[string]int, g DeadGroup, most int) {
	i, ok := at[g.Key]
	switch {
	case !ok && len(d.Groups) >= most:
		d.Others++
	case !ok:
		at[g.Key] = len(d.Groups)
		d.Groups = append(d.Groups, g)
	default:
		old := &d.Groups[i]
		old.Count++
		old.Last, old.Newest = g.Last, g.Newest
	}
}

func (d DeadGroups) sorted(o DeadGroupsOptions) DeadGroups {
	for i := range d.Groups {
		d.Groups[i].New = !o.Since.IsZero() && !d.Groups[i].First.Before(o.Since)
	}
	slices.SortStableFunc(d.Groups, func(a, b DeadGroup) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Key, b.Key))
	})
	return d
}

// deadGroupOf returns the group of one letter alone.
func deadGroupOf(m framework.DeadMessage, read reading) DeadGroup {
	g := DeadGroup{Reason: m.Reason, Class: read.class(m.Body, m.Bytes), Text: errtext.Shape(m.Detail), Count: 1, First: m.At, Last: m.At, Newest: m.Entry}
	sum := sha256.Sum256([]byte(g.Reason + "\x00" + g.Class + "\x00" + g.Text))
	g.Key = hex.EncodeToString(sum[:8])
	return g
}
