package admin

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Place is where a message is.
type Place string

// The places, in the order in which a message passes them and [Search] looks.
const (
	PlacePending  Place = "pending"
	PlaceReady    Place = "ready"
	PlaceInFlight Place = "in flight"
	PlaceDead     Place = "dead"
	// PlaceJournal is not where a message is, but what is kept of one that is done, see
	// [registry.Journal].
	PlaceJournal Place = "journal"
)

// Places returns those in which messages lie, in order.
func Places() []Place { return []Place{PlacePending, PlaceReady, PlaceInFlight, PlaceDead} }

// Defaults of [SearchOptions].
const (
	DefaultSearchTime = 2 * time.Second
	DefaultMostFound  = 50
	// DefaultFieldShare is the share of a server's time that a search by fields takes.
	DefaultFieldShare = 0.1
)

// SearchOptions are the options of [Search]. The zero value looks for an ID and a key alone.
type SearchOptions struct {
	// Payloads say how payloads are read and by which fields they are found. Without
	// fields none is read.
	Payloads Payloads
	// Cursor continues an earlier search for the same text: pass its More. Empty starts a new
	// search.
	Cursor string
	// Time bounds this call; More then leads on. Defaults to DefaultSearchTime.
	Time time.Duration
	// Most bounds the matches of this call, give or take those that one step finds. Defaults to
	// DefaultMostFound.
	Most int
	// MostBytes bounds the payloads that are searched by fields: larger ones are not sent, and
	// Looked.Large counts them. 0 is no bound.
	MostBytes int
	// Share bounds the part of the time for which Redis searches for this call, from 0.001 to 1.
	// Defaults to DefaultFieldShare.
	Share float64
	// Progress is called after each step with what was found so far, on the caller's
	// goroutine. May be nil.
	Progress func(SearchResult)
}

// Match is a message that was found.
type Match struct {
	Place Place
	By    string // "ID", "key", or the path of a field

	ID        string    // empty where it has none, or Java dropped it
	Key       string    // of its offer; empty without one, or where it is not known
	Due       time.Time // zero where unknown
	Since     time.Time // in flight: when it was taken; dead: when it died; journal: when it ended
	Entry     string    // dead: its entry in the dead store
	Reason    string    // dead: why
	Failed    int       // attempts that failed
	Partition int

	// Journal tells how it ended; nil in other places.
	Journal *Record

	Body    []byte // nil for a ready message or one in flight that was found by ID or key
	Summary string // its class and the fields that may be shown; empty where it was not read
}

// Record is what the journal has of a message.
type Record struct {
	Outcome   string        // handled, dead, expired or cancelled
	Attempt   int           // which one ended it; 0 where it is not known
	Late      time.Duration // how long after its due time its handler started
	LateKnown bool
	Process   string       // host/pid of who handled or cancelled it
	Fields    []FieldValue // the declared ones
}

// FieldValue is a field of a payload, as text.
type FieldValue struct{ Path, Text string }

// Looked is how far a search has looked in one place.
type Looked struct {
	Place      Place
	Seen       int64 // messages whose payloads were looked at; records of the journal
	Of         int64 // those that were there as the search began there
	Unreadable int64 // of the seen ones those that could not be read
	Large      int64 // of the seen ones those that have more than MostBytes
	Done       bool
}

// SearchResult is what a search has found, and where it has looked.
type SearchResult struct {
	Matches []Match // of this call

	// ByID and ByKey say that the text was looked for as one, which is done by the first call. One
	// that is not an ID was not looked for as that. Cut says that this search ended early, since
	// there is too much in flight, ready or dead for one call.
	ByID, ByKey, Cut bool

	Fields []string // by which payloads were searched
	Looked []Looked // by fields, and in the journal, in the order of the places, since the search began
	More   string   // a Cursor that leads on; empty where all was looked at
}

// Done reports whether the search is over.
func (r SearchResult) Done() bool { return r.More == "" }

// Search looks for messages of a queue, named as for [Diagnose], by what people know of them:
// their ID, their key, or the value of a declared field; in all partitions, and in all places
// but the hands of Java's consumers, who take what they handle out of Redis; of messages that
// are done, what the journal of the queue tells.
//
// By ID and key it costs O(log n), and 10 ms of Redis at most where the message is not
// pending. The journal is read as a whole, the newest records first. By fields it reads the payloads in steps of some milliseconds, within Share, until
// Time is over; More then leads on. It looks in the order in which messages move, so that it
// also meets those that move on at the same time; a message that comes or goes back may be met
// or not, and a ready one twice.
//
// Errors: [*fault.CursorError] for a Cursor of another search, those of [Diagnose], and those of
// Redis, with which what was found so far is returned.
func Search(ctx context.Context, c *framework.Client, queue, text string, o SearchOptions) (SearchResult, error) {
	s, err := newSearch(ctx, c, queue, text, o)
	if err != nil {
		return SearchResult{}, err
	}
	err = s.run(ctx)
	return s.result, err
}

// search is one call.
type search struct {
	client access.Client
	queue  *framework.Queue[[]byte]
	keys   []wire.Keys
	text   string
	o      SearchOptions
	read   reading
	pace   budget.Pace
	ends   time.Time
	stages int // those that are looked at

	at     searchPlace
	result SearchResult
}

func newSearch(ctx context.Context, c *framework.Client, queue, text string, o SearchOptions) (*search, error) {
	if o.Time <= 0 {
		o.Time = DefaultSearchTime
	}
	if o.Most <= 0 {
		o.Most = DefaultMostFound
	}
	if o.MostBytes <= 0 {
		o.MostBytes = delayed.Whole
	}
	s := &search{client: access.Of(c), text: strings.TrimSpace(text), o: o, read: o.Payloads.reading(), pace: budget.PaceWithin(o.Share, DefaultFieldShare), ends: time.Now().Add(o.Time), stages: stageJournal + 1}
	if s.text == "" {
		return nil, errors.New("search: the text is empty")
	}
	var err error
	if s.at, err = parseSearchPlace(o.Cursor, queue, s.text); err != nil {
		return nil, err
	}
	if s.queue, err = Queue(ctx, c, queue); err != nil {
		return nil, err
	}
	if s.keys, _, err = partsOf(ctx, s.client, queue); err != nil {
		return nil, err
	}
	if o.Payloads.Decode != nil {
		s.result.Fields = o.Payloads.SearchFields
	}
	return s, nil
}

func (s *search) run(ctx context.Context) error {
	if s.o.Cursor == "" {
		if err := s.byName(ctx); err != nil {
			return err
		}
		if err := s.begin(ctx); err != nil {
			return err
		}
	}
	for s.at.Stage < len(s.at.Looked) {
		err := s.step(ctx)
		s.tell()
		if err != nil {
			return err
		}
		if s.o.Progress != nil {
			s.o.Progress(s.result)
		}
		if s.at.Stage < len(s.at.Looked) && (len(s.result.Matches) >= s.o.Most || time.Now().After(s.ends)) {
			return nil
		}
	}
	s.result.More = ""
	return nil
}

// tell says in the result how far the search is.
func (s *search) tell() {
	s.result.More = s.at.text()
	s.result.Looked = nil
	for _, l := range s.at.Looked {
		if l.Place != "" {
			s.result.Looked = append(s.result.Looked, l)
		}
	}
}

// byName looks for an ID and for a key.
func (s *search) byName(ctx context.Context) error {
	if _, err := wire.ParseID(s.text); err == nil {
		m, err := s.queue.Pending().Get(ctx, framework.ID(s.text))
		if err = s.named(ctx, "ID", m, err); err != nil {
			return err
		}
		s.result.ByID = true
	}
	m, err := s.queue.Pending().GetKey(ctx, s.text)
	s.result.ByKey = true
	return s.named(ctx, "key", m, err)
}

// named takes the answer of a lookup.
func (s *search) named(ctx context.Context, by string, m framework.PendingMessage[[]byte], err error) error {
	found := Match{By: by, ID: string(m.ID), Due: m.Due, Body: m.Body, Place: PlacePending}
	var gone *fault.NotPendingError
	var wrong *fault.IDError
	switch {
	case err == nil:
	case errors.As(err, &wrong): // of another partition than there is
		return nil
	case errors.As(err, &gone):
		found.ID, found.Since, found.Entry = gone.ID, gone.Since, gone.Entry
		switch gone.Where {
		case fault.WhereReady:
			found.Place = PlaceReady
		case fault.WhereInFlight:
			found.Place = PlaceInFlight
		case fault.WhereDead:
			if found, err = s.dead(ctx, gone.Entry); err != nil {
				return err
			}
			found.By = by
		case fault.WhereCut:
			s.result.Cut = true
			return gone.Err
		default:
			return nil
		}
	default:
		return err
	}
	if by == "key" {
		found.Key = s.text
	}
	if id, err := wire.ParseID(found.ID); err == nil {
		found.Partition = id.Partition
	}
	if v, ok := s.read.read(found.Body); ok {
		found.Summary = s.read.summary(v)
	}
	s.result.Matches = append(s.result.Matches, found)
	return nil
}

// dead returns an entry of the dead store as a match.
func (s *search) dead(ctx context.Context, entry string) (Match, error) {
	m, err := s.queue.Dead().Get(ctx, entry)
	if err != nil && !errors.Is(err, fault.ErrNoEntry) {
		return Match{}, err
	}
	return deadMatch(m), nil
}

func deadMatch(m framework.DeadMessage) Match {
	return Match{Place: PlaceDead, ID: string(m.ID), Key: m.Key, Due: m.Due, Since: m.At, Entry: m.Entry, Reason: m.Reason, Failed: m.Failed, Body: m.Body}
}
