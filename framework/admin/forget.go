package admin

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// ForgetOptions shape [Forget]. The zero value forgets a key alone.
type ForgetOptions struct {
	// Payloads say how payloads are read, and which fields name the person besides the key:
	// SearchFields, of records of the journal too. Without a Decode no payload is read.
	Payloads Payloads
	// Share bounds the part of the time for which Redis works for this call, from 0.001 to 1.
	// Defaults to DefaultFieldShare.
	Share float64
	// DryRun changes nothing, and counts what would be removed.
	DryRun bool
	// Progress is called now and then with what was done so far. May be nil.
	Progress func(Forgotten)
}

// Forgotten is what [Forget] has removed, or would.
type Forgotten struct {
	Records    int64 // of the journal
	Dead       int64 // dead letters
	Kept       int64 // of messages that no one has any more: due records and what is known of them, their keys too
	Unreadable int64 // payloads that could not be read: the person may be in them
	// Left are messages of the person that are still to be handled. Nothing is done to them: cancel
	// them, or call Forget again when they are done.
	Left []Match
}

// Forget removes what Redis keeps of a person whose messages are done: records of the journal and
// dead letters that have text as their key or as the value of one of the fields, and what is
// kept of messages that were handled within the window of the key, or that Java has
// taken: their keys, attempts, errors, and payloads of up to 512 bytes. It looks at all
// partitions. Messages that are still to be handled stay with what is kept of them, and are
// returned as Left. The audit stays too, since it tells what people did. It may be called again.
//
// What cannot be found by text stays until it ends by itself: without the key, the errors in the
// records of retries that Java has taken, for a week; digests of payloads, for a day or two.
//
// Errors are those of [Search]; then what was done so far is returned.
func Forget(ctx context.Context, c *framework.Client, queue, text string, o ForgetOptions) (Forgotten, error) {
	if o.Progress == nil {
		o.Progress = func(Forgotten) {}
	}
	f := &forgetting{client: access.Of(c), o: o, text: strings.TrimSpace(text), read: o.Payloads.reading(), pace: budget.PaceWithin(o.Share, DefaultFieldShare)}
	if f.text == "" {
		return Forgotten{}, errors.New("forget: the key is empty")
	}
	var err error
	if f.queue, err = Queue(ctx, c, queue); err != nil {
		return Forgotten{}, err
	}
	if err = f.live(ctx, c, queue); err != nil {
		return f.done, err
	}
	err = errors.Join(f.letters(ctx), f.kept(ctx, queue))
	return f.done, err
}

// forgetting is one call.
type forgetting struct {
	client access.Client
	queue  *framework.Queue[[]byte]
	o      ForgetOptions
	text   string
	read   reading
	pace   budget.Pace
	done   Forgotten
}

// live finds the messages that are still to be handled, wherever a search looks for such ones.
func (f *forgetting) live(ctx context.Context, c *framework.Client, queue string) error {
	s, err := newSearch(ctx, c, queue, f.text, SearchOptions{
		Payloads: f.o.Payloads, Share: f.o.Share, Time: math.MaxInt64, Most: math.MaxInt,
		Progress: func(SearchResult) { f.o.Progress(f.done) },
	})
	if err != nil {
		return err
	}
	s.stages = stageDead // those before it: what is done is looked at where it is removed
	err = s.run(ctx)
	for _, m := range s.result.Matches {
		if m.By != "ID" && m.Place != PlaceDead {
			f.done.Left = append(f.done.Left, m)
		}
	}
	for _, l := range s.result.Looked {
		f.done.Unreadable += l.Unreadable
	}
	return err
}

// letters drops dead letters, of all partitions.
func (f *forgetting) letters(ctx context.Context) error {
	for after := ""; ; {
		page, err := budget.Ask(ctx, &f.pace, func() ([]framework.DeadMessage, error) { return f.queue.Dead().Page(ctx, after, 100) })
		if err != nil || len(page) == 0 {
			return err
		}
		var entries []string
		for _, m := range page {
			if m.Key == f.text || f.names(m.Body) {
				entries = append(entries, m.Entry)
			}
		}
		n := int64(len(entries))
		if n > 0 && !f.o.DryRun {
			if n, err = f.queue.Dead().Drop(ctx, entries...); err != nil {
				return err
			}
		}
		f.done.Dead += n
		after = page[len(page)-1].Entry
		f.o.Progress(f.done)
	}
}

// names reports whether a payload names the person.
func (f *forgetting) names(body []byte) bool {
	if f.o.Payloads.Decode == nil || len(f.o.Payloads.SearchFields) == 0 {
		return false
	}
	v, ok := f.read.read(body)
	if !ok {
		f.done.Unreadable++
		return false
	}
	_, ok = f.read.search.Match(v, f.text)
	return ok
}

// kept removes records of the journal, and what is kept of messages that no one has.
func (f *forgetting) kept(ctx context.Context, queue string) error {
	keys, _, err := partsOf(ctx, f.client, queue)
	if err != nil {
		return err
	}
	text := journal.Text(f.text)
	remove := func(r journal.Record) bool {
		found := r.Key == text || slices.ContainsFunc(r.Values, func(v journal.Value) bool { return v.Text == text && f.read.search.Has(v.Path) })
		if found && f.o.DryRun {
			f.done.Records++
		}
		return found && !f.o.DryRun
	}
	for _, k := range keys {
		f.pace.Begin()
		n, err := journal.Strike(ctx, f.client.Redis, k, remove, func() error {
			f.o.Progress(f.done)
			defer f.pace.Begin()
			return f.pace.Rest(ctx)
		})
		f.done.Records += int64(n)
		if err != nil {
			return err
		}
		n, err = f.rest(ctx, k)
		f.done.Kept += int64(n)
		if err != nil {
			return err
		}
	}
	return nil
}

// rest removes what is kept of messages.
func (f *forgetting) rest(ctx context.Context, k wire.Keys) (int, error) {
	how := delayed.Forgotten{DryRun: f.o.DryRun, Rest: func(ctx context.Context) error {
		defer f.pace.Begin()
		return f.pace.Rest(ctx)
	}}
	f.pace.Begin()
	fields, err := delayed.ForgetKey(ctx, f.client.Redis, k, f.text, how)
	if err != nil {
		return len(fields), err
	}
	n, err := delayed.ForgetEntries(ctx, f.client.Redis, k, func(field string, payload []byte) bool {
		return slices.Contains(fields, field) || payload != nil && f.names(payload)
	}, how)
	if err == nil && !f.o.DryRun {
		// Version 0.1.0 kept keys there, with payloads.
		err = rediserr.Classify("DEL", f.client.Redis.Del(ctx, k.NonceRecord(f.text)).Err())
	}
	return len(fields) + n, err
}
