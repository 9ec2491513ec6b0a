package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/background"
	"github.com/duequeue/duequeue/framework/internal/connect"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

const (
	sampleEvery = 10 * time.Second
	queuesFresh = 2 * time.Second
	// discoverEvery is the pause between two searches for queues, each of which looks at every
	// key of the database.
	discoverEvery = time.Minute
	// discoverAgain is that behind a search that has failed.
	discoverAgain = 5 * time.Second
	// maxQueues bounds the names that are known: they cost little.
	maxQueues = 100_000
	// maxStatus bounds the queues of which one reading reads how they stand.
	maxStatus   = 500
	firstSearch = time.Second // how long a page waits for the first search
)

// names are the queues that a search has found.
type names struct {
	mu     sync.Mutex
	found  []string
	more   bool
	at     time.Time     // when the last search ended
	err    error         // of the last search
	failed time.Time     // since when searches fail; zero where they do not
	first  chan struct{} // closed when the first one has
	told   bool          // first is closed
	under  bool          // one is under way
	closed bool
}

func (n *names) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = true
}

// take notes what a search has found, and reports whether that is news.
func (n *names) take(found []string, more bool, err error) (news bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil { // a node of a Cluster that is down: its queues are known still
		found = slices.Compact(slices.Sorted(slices.Values(slices.Concat(n.found, found))))
	}
	news = n.at.IsZero() || !slices.Equal(n.found, found)
	n.found = found
	n.under, n.at, n.err = false, time.Now(), err
	switch {
	case err == nil:
		n.more, n.failed = more, time.Time{}
	case n.failed.IsZero():
		n.failed = n.at
	}
	return news
}

// known are the names that searches have found, sorted.
func (n *names) known() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.found
}

// has reports whether a search has found a queue.
func (n *names) has(queue string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, found := slices.BinarySearch(n.found, queue)
	return found
}

// looked tells those who wait for the first search that it has ended.
func (n *names) looked() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.told {
		n.told = true
		close(n.first)
	}
}

// where names the server.
func (c *Console) where() string {
	_, where, _ := strings.Cut(c.client.String(), " on ")
	return where
}

// declared returns the declaration of a queue, nil for one that was found.
func (c *Console) declared(queue string) registry.Descriptor {
	for _, d := range c.options.Queues {
		if d.Key() == queue {
			return d
		}
	}
	return nil
}

// exists reports whether there is such a queue. Nothing is kept of one that there is not: names of
// queues come from anyone who asks.
func (c *Console) exists(ctx context.Context, queue string) (bool, error) {
	if c.declared(queue) != nil || c.names.has(queue) {
		return true, nil
	}
	missing, err := admin.Absent(ctx, c.client, queue)
	if _, refused := errors.AsType[*fault.PermissionError](err); refused || rediserr.MayPass(err) {
		return true, nil // the page itself says what is refused, or does not answer
	}
	if err != nil || len(missing) == 0 {
		return true, err
	}
	keys, err := access.Of(c.client).Keys(queue)
	if err != nil {
		return false, err
	}
	listeners, err := connect.CountAll(ctx, access.Of(c.client).Redis, []string{keys.Channel})
	return listeners[keys.Channel] > 0, err
}

// known is what the overview shows.
type known struct {
	Queues    []admin.QueueStatus
	At        map[string]time.Time // when the status of each was read
	Unread    []string             // names of queues whose status was not read yet
	More      bool                 // there are more than are known
	Searching bool                 // the first search for queues has not ended
	// Unsearched is why the last search has failed, and Failed since when searches do.
	Unsearched error
	Failed     time.Time
}

// stands is how queues stood when each was read last.
type stands struct {
	mu  sync.Mutex
	all map[string]admin.QueueStatus
	at  map[string]time.Time
}

// next returns names of which the status is to be read: all, or where there are very many those
// that were read first, or never. A queue's partitions go together.
func (s *stands) next(names []string) []string {
	if len(names) <= maxStatus {
		return names
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := func(name string) time.Time { return s.at[wholeOf(names, name)] }
	oldest := slices.Clone(names)
	slices.SortStableFunc(oldest, func(a, b string) int { return at(a).Compare(at(b)) })
	chosen := map[string]bool{}
	for _, name := range oldest[:maxStatus] {
		chosen[wholeOf(names, name)] = true
	}
	return slices.DeleteFunc(oldest, func(name string) bool { return !chosen[wholeOf(names, name)] })
}

// wholeOf returns the name under which [admin.StatusOfNames] returns one of some names: that of the
// queue whose partition it is, where that is one of them.
func wholeOf(names []string, name string) string {
	if queue, _, is := wire.PartitionedBy(name); is {
		if _, both := slices.BinarySearch(names, queue); both {
			return queue
		}
	}
	return name
}

// keep adds to the names that a search has found those that were known before and still have ready
// messages: where nothing else is left of a queue, the list could be that of any program, and no
// search finds it. Both are sorted.
func (s *stands) keep(before, found []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range before {
		if _, is := slices.BinarySearch(found, name); !is && s.all[name].Ready > 0 {
			found = append(slices.Clip(found), name)
			slices.Sort(found)
		}
	}
	return found
}

// note keeps what was read.
func (s *stands) note(found []admin.QueueStatus, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all, s.at = map[string]admin.QueueStatus{}, map[string]time.Time{}
	}
	for _, q := range found {
		s.all[q.Queue], s.at[q.Queue] = q, at
	}
}

// compared completes the status of a queue by what only a look at all queues finds.
func (s *stands) compared(q *admin.QueueStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.all[q.Queue]
	if q.Near = was.Near; len(q.Refused) == 0 {
		q.Refused = was.Refused
	}
}

// of fills in what is known of names, and forgets all others.
func (s *stands) of(names []string, k *known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[string]bool{}
	for _, name := range names {
		whole := wholeOf(names, name)
		if _, read := s.all[whole]; !read && !wanted[whole] {
			k.Unread = append(k.Unread, whole)
		}
		wanted[whole] = true
	}
	maps.DeleteFunc(s.all, func(name string, _ admin.QueueStatus) bool { return !wanted[name] })
	maps.DeleteFunc(s.at, func(name string, _ time.Time) bool { return !wanted[name] })
	k.At = maps.Clone(s.at)
	for _, name := range slices.Sorted(maps.Keys(s.all)) {
		k.Queues = append(k.Queues, s.all[name])
	}
}

// matching reads how the queues stand whose names have a text, where that was not read, or long ago.
func (c *Console) matching(r *request, k *known, text string) error {
	want := slices.DeleteFunc(slices.Clone(k.Unread), func(name string) bool { return !strings.Contains(strings.ToLower(name), text) })
	for _, q := range k.Queues {
		if strings.Contains(strings.ToLower(q.Queue), text) && time.Since(k.At[q.Queue]) > sampleEvery {
			want = append(want, q.Queue)
		}
	}
	want = slices.DeleteFunc(want, func(name string) bool { return r.user.on(name) < RoleLook })
	if want = want[:min(len(want), maxRows)]; len(want) == 0 {
		return nil
	}
	slices.Sort(want)
	of := sha256.Sum256([]byte(strings.Join(want, "\x00"))) // users with other rights read others
	found, err := read(r, "queues with "+text+" "+hex.EncodeToString(of[:]), sampleEvery, func(ctx context.Context) ([]admin.QueueStatus, error) {
		at := time.Now()
		found, failed := admin.StatusOf(ctx, c.client, want...)
		c.stands.note(found, at)
		return found, failed
	})
	for _, q := range found {
		k.Unread = slices.DeleteFunc(k.Unread, func(name string) bool { return name == q.Queue })
		k.Queues = append(slices.DeleteFunc(k.Queues, func(o admin.QueueStatus) bool { return o.Queue == q.Queue }), q)
	}
	return err
}

// queues returns how all queues stand.
func (c *Console) queues(r *request) (known, error) {
	if !c.options.OnlyDeclared {
		select {
		case <-c.discover():
		case <-time.After(firstSearch):
		}
	}
	k, err := read(r, "queues", queuesFresh, c.loadQueues)
	if err != nil {
		return known{}, err
	}
	k.Queues = slices.DeleteFunc(slices.Clone(k.Queues), func(q admin.QueueStatus) bool { return r.user.on(q.Queue) < RoleLook })
	k.Unread = slices.DeleteFunc(slices.Clone(k.Unread), func(name string) bool { return r.user.on(name) < RoleLook })
	return k, nil
}

func (c *Console) loadQueues(ctx context.Context) (known, error) {
	var all []string
	for _, d := range c.options.Queues {
		all = append(all, admin.PartitionNames(d)...)
	}
	k := known{}
	c.names.mu.Lock()
	all = append(all, c.names.found...)
	k.Unsearched, k.Failed = c.names.err, c.names.failed
	k.More, k.Searching = c.names.more, c.names.at.IsZero() && !c.options.OnlyDeclared
	c.names.mu.Unlock()
	slices.Sort(all)
	all = slices.Compact(all)
	at := time.Now()
	found, err := admin.StatusOfNames(ctx, c.client, c.stands.next(all))
	c.stands.note(found, at)
	c.stands.of(all, &k)
	return k, err
}

// discover looks for queues, while other things are read and not too often. What it returns is
// closed when queues were looked for once.
func (c *Console) discover() <-chan struct{} {
	n := &c.names
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.first == nil {
		n.first = make(chan struct{})
	}
	pause := discoverEvery
	if n.err != nil {
		pause = discoverAgain
	}
	if n.closed || n.under || !n.at.IsZero() && time.Since(n.at) < pause {
		return n.first
	}
	n.under = true
	c.done.Go(c.ctx, "console: search for queues", func() {
		var found []string
		var more bool
		err := background.Call(c.ctx, "console: search for queues", func() (err error) {
			found, more, err = admin.QueueNames(c.finding.Of(c.ctx, "search"), c.client, admin.QueuesOptions{Share: c.options.Budget / 2, Most: maxQueues})
			return err
		})
		if n.take(c.stands.keep(n.known(), found), more, err) {
			c.cache.Dirty(func(name string) bool { return name == "queues" })
		}
		n.looked()
		if err != nil {
			c.options.Log.Warn("console: queues could not be looked for", "err", err)
		}
	})
	return n.first
}

// sample adds to the history until ctx ends.
func (c *Console) sample(ctx context.Context) {
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for {
		k, read, err := cachedRead(ctx, c.cache, "queues", queuesFresh, c.loadQueues)
		if err == nil && time.Since(read) < sampleEvery {
			kept := map[string]bool{}
			for _, q := range k.Queues {
				kept[q.Queue] = true
				at := k.At[q.Queue]
				if time.Since(at) >= sampleEvery {
					continue
				}
				said := make([]progress, len(q.Work))
				for i, w := range q.Work {
					said[i] = progress{Process: w.Process, At: at.Add(-w.Age), Handled: w.Handled}
				}
				c.history.Add(q.Queue, point{
					Rate: c.history.Rate(q.Queue, said),
					At:   at, Ready: float32(q.Ready), Delayed: float32(q.Delayed), Dead: float32(q.Dead), Held: float32(q.InFlight), Lag: float32(q.Lag.Seconds()),
				})
			}
			c.history.Keep(func(queue string) bool { return kept[queue] })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
