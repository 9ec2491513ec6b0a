package admin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/budget"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/journal"
	"github.com/duequeue/duequeue/framework/internal/queue/lease"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// searchPlace is how far a search by fields has come. Its text is a cursor.
type searchPlace struct {
	Of        []byte // of queue and text
	Stage     int
	Partition int                  `json:",omitempty"`
	Pending   delayed.PendingPlace `json:",omitzero"`
	Ready     int64                `json:",omitempty"` // from the end of the list
	Fetch     string               `json:",omitempty"` // looked at last
	Entry     string               `json:",omitempty"`
	Journal   journal.Place        `json:",omitzero"`
	Looked    []Looked             // one for each stage; without a place where that is passed over
}

func (p searchPlace) text() string {
	return words.Cursor(struct { // bytes of elements are no text
		searchPlace
		Element []byte `json:",omitempty"`
	}{p.withoutElement(), []byte(p.Pending.Element)})
}

func (p searchPlace) withoutElement() searchPlace {
	p.Pending.Element = ""
	return p
}

func searchOf(queue, text string) []byte {
	sum := sha256.Sum256([]byte(queue + "\x00" + text))
	return sum[:8]
}

func parseSearchPlace(place, queue, text string) (searchPlace, error) {
	of := searchOf(queue, text)
	if place == "" {
		return searchPlace{Of: of}, nil
	}
	var p struct {
		searchPlace
		Element []byte
	}
	err := words.ReadCursor(place, &p)
	n := len(p.Looked)
	if err != nil || !slices.Equal(p.Of, of) || p.Stage < 0 || p.Stage >= n || p.Partition < 0 || n < stageJournal || n > stageJournal+1 || p.Ready < 0 || p.Journal.Skip < 0 {
		return searchPlace{}, &fault.CursorError{Op: "search", Err: err}
	}
	p.Pending.Element = string(p.Element)
	return p.searchPlace, nil
}

// The stages of a search, one after the other.
const (
	stagePending = iota
	stageReady
	stageInFlight
	stageDead
	stageJournal // not of each queue
)

// step looks at some payloads, and goes on to the next partition and place at the end of one.
func (s *search) step(ctx context.Context) error {
	switch s.at.Stage {
	case stagePending:
		return s.stepPending(ctx)
	case stageReady:
		return s.stepReady(ctx)
	case stageInFlight:
		return s.stepInFlight(ctx)
	case stageDead:
		return s.stepDead(ctx)
	}
	return s.stepJournal(ctx)
}

// begin counts what there is. Without fields no payload is looked at.
func (s *search) begin(ctx context.Context) error {
	s.at.Looked = make([]Looked, stageJournal)
	if len(s.result.Fields) > 0 {
		n, err := s.queue.Counts(ctx)
		if err != nil {
			return err
		}
		s.at.Looked = []Looked{
			{Place: PlacePending, Of: n.Delayed}, {Place: PlaceReady, Of: n.Ready}, {Place: PlaceInFlight, Of: n.InFlight}, {Place: PlaceDead, Of: n.Dead},
		}
	} else {
		s.at.Stage = stageJournal
	}
	s.at.Looked = s.at.Looked[:min(s.stages, stageJournal)]
	if s.stages <= stageJournal {
		return nil
	}
	records := int64(0)
	for _, k := range s.keys {
		n, err := journal.Count(ctx, s.client.Redis, k)
		switch _, refused := errors.AsType[*fault.PermissionError](err); {
		case refused: // a user from before there were journals
		case err != nil:
			return err
		}
		records += n
	}
	if records > 0 {
		s.at.Looked = append(s.at.Looked, Looked{Place: PlaceJournal, Of: records})
	}
	return nil
}

// next goes on to the next partition, and behind the last one to the next place.
func (s *search) next() {
	s.at.Pending, s.at.Ready, s.at.Fetch, s.at.Journal = delayed.PendingPlace{}, 0, "", journal.Place{}
	if s.at.Partition++; s.at.Partition < len(s.keys) && s.at.Stage != stageDead {
		return
	}
	looked := &s.at.Looked[s.at.Stage]
	looked.Done, looked.Of = true, max(looked.Of, looked.Seen)
	s.at.Stage, s.at.Partition = s.at.Stage+1, 0
}

// look compares a payload of so many bytes with the text, and reports whether it adds a match: what
// found returns of it.
func (s *search) look(body []byte, bytes int, found func() Match) (matches bool) {
	looked := &s.at.Looked[s.at.Stage]
	if looked.Seen++; bytes > s.o.MostBytes {
		looked.Large++
		return false
	}
	v, ok := s.read.read(body)
	if !ok {
		looked.Unreadable++
		return false
	}
	path, ok := s.read.search.Match(v, s.text)
	if !ok {
		return false
	}
	m := found()
	m.Place, m.By, m.Body, m.Summary = looked.Place, path, body, s.read.summary(v)
	if m.Place != PlaceDead {
		m.Partition = s.at.Partition
	}
	if m.ID != "" && slices.ContainsFunc(s.result.Matches, func(o Match) bool { return o.ID == m.ID && o.Place == m.Place }) {
		return false
	}
	s.result.Matches = append(s.result.Matches, m)
	return true
}

// known adds what is known of the matches of a step by their elements.
func (s *search) known(ctx context.Context, k wire.Keys, from int, elements []wire.ElementID) error {
	if from == len(s.result.Matches) {
		return nil
	}
	records, err := delayed.Records(ctx, s.client.Redis, k, elements)
	if err != nil {
		return err
	}
	for i, r := range records {
		m := &s.result.Matches[from+i]
		if m.Key, m.Failed = r.Key, r.Failed; !r.ID.Element.IsZero() {
			m.ID = r.ID.String()
		}
	}
	return nil
}

// mostOfElement is how much of an element is read for so many bytes of its payload.
func mostOfElement(bytes int) int { return bytes + 128 }

func (s *search) stepPending(ctx context.Context) error {
	k := s.keys[min(s.at.Partition, len(s.keys)-1)]
	next := s.at.Pending
	page, err := budget.Ask(ctx, &s.pace, func() (page []delayed.PendingMessage, err error) {
		page, next, err = delayed.PagePendingFrom(ctx, s.client.Redis, k, next, 500, mostOfElement(s.o.MostBytes), true)
		return page, err
	})
	if err != nil {
		return err
	}
	if len(page) == 0 {
		s.next()
		return nil
	}
	s.at.Pending = next
	from, elements := len(s.result.Matches), []wire.ElementID(nil)
	for _, p := range page {
		if s.look(p.Payload, p.Bytes, func() Match { return Match{ID: p.Text, Due: moment(p.DueMs)} }) {
			elements = append(elements, p.ID)
		}
	}
	return s.known(ctx, k, from, elements)
}

// readyStep is the most messages of a step over ready messages, which also ends with a MiB.
const readyStep = 500

func (s *search) stepReady(ctx context.Context) error {
	k := s.keys[min(s.at.Partition, len(s.keys)-1)]
	page, err := budget.Ask(ctx, &s.pace, func() ([]delayed.ReadyMessage, error) {
		return delayed.PageReady(ctx, s.client.Redis, k, s.at.Ready, readyStep, s.o.MostBytes)
	})
	if err != nil {
		return err
	}
	if len(page) == 0 {
		s.next()
		return nil
	}
	s.at.Ready += int64(len(page))
	from, elements := len(s.result.Matches), []wire.ElementID(nil)
	for _, p := range page {
		if s.look([]byte(p.Body), p.Bytes, func() Match { return Match{ID: p.ID.String(), Due: moment(p.DueMs)} }) {
			elements = append(elements, p.ID.Element)
		}
	}
	return s.known(ctx, k, from, elements)
}

// stepInFlight looks at the fetches of a partition, as many as time allows.
func (s *search) stepInFlight(ctx context.Context) error {
	k := s.keys[min(s.at.Partition, len(s.keys)-1)]
	fetches, err := budget.Ask(ctx, &s.pace, func() ([]lease.Fetch, error) { return lease.Fetches(ctx, s.client.Redis, k) })
	if err != nil {
		return err
	}
	slices.SortFunc(fetches, func(a, b lease.Fetch) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, f := range fetches {
		if f.Name() <= s.at.Fetch {
			continue
		}
		held, err := budget.Ask(ctx, &s.pace, func() ([]lease.InFlight, error) { return f.Messages(ctx, s.client.Redis, s.o.MostBytes) })
		if err != nil {
			return err
		}
		from, elements := len(s.result.Matches), []wire.ElementID(nil)
		for _, h := range held {
			if s.look(h.Body, h.Bytes, func() Match {
				m := Match{Due: moment(h.DueMs), Since: moment(h.TakenMs)}
				if h.ID.Partition = k.Partition; h.TakenMs >= 0 {
					m.ID = h.ID.String()
				}
				return m
			}) {
				elements = append(elements, h.Element())
			}
		}
		if err := s.known(ctx, k, from, elements); err != nil {
			return err
		}
		if s.at.Fetch = f.Name(); time.Now().After(s.ends) {
			return nil
		}
	}
	s.next()
	return nil
}

func (s *search) stepDead(ctx context.Context) error {
	page, err := budget.Ask(ctx, &s.pace, func() ([]framework.DeadMessage, error) {
		return s.queue.Dead().Beginnings(ctx, s.at.Entry, 100, s.o.MostBytes)
	})
	if err != nil {
		return err
	}
	if len(page) == 0 {
		s.next()
		return nil
	}
	s.at.Entry = page[len(page)-1].Entry
	for _, m := range page {
		s.look(m.Body, m.Bytes, func() Match { return deadMatch(m) })
	}
	return nil
}

// moment returns a time of Redis, the zero time where it is not known.
func moment(ms int64) time.Time {
	if ms < 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func (s *search) stepJournal(ctx context.Context) error {
	k := s.keys[min(s.at.Partition, len(s.keys)-1)]
	next := s.at.Journal
	records, err := budget.Ask(ctx, &s.pace, func() (records []journal.Record, err error) {
		records, next, err = journal.Read(ctx, s.client.Redis, k, next)
		return records, err
	})
	if err != nil {
		return err
	}
	if next == s.at.Journal {
		s.next()
		return nil
	}
	s.at.Journal = next
	s.at.Looked[stageJournal].Seen += int64(len(records))
	text := journal.Text(s.text)
	for _, r := range records {
		by, ok := s.namedIn(r, text)
		if !ok {
			continue
		}
		s.result.Matches = append(s.result.Matches, recordMatch(r, by, k.Partition))
	}
	return nil
}

// namedIn says by what a record has the text.
func (s *search) namedIn(r journal.Record, text string) (by string, ok bool) {
	switch {
	case r.ID == s.text:
		return "ID", true
	case r.Key == text:
		return "key", true
	}
	for _, v := range r.Values {
		if v.Text == text {
			return v.Path, true
		}
	}
	return "", false
}

// recordMatch returns a record of the journal as a match.
func recordMatch(r journal.Record, by string, partition int) Match {
	m := Match{
		Place: PlaceJournal, By: by, ID: r.ID, Key: r.Key, Since: r.At(), Reason: r.Reason, Partition: partition,
		Journal: &Record{Outcome: r.Outcome, Attempt: r.Attempt, Process: r.By},
	}
	m.Journal.Late, m.Journal.LateKnown = r.Late()
	for _, v := range r.Values {
		m.Journal.Fields = append(m.Journal.Fields, FieldValue(v))
	}
	return m
}
