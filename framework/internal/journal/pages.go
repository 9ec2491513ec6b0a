package journal

import (
	"strconv"
	"sync"
)

// maxRecords is how many records one page has at most.
const maxRecords = 512

// Page is some records as they are written.
type Page struct {
	at   int64 // of the last record
	n    int
	text string
}

// Pages gathers the records of a process until they are sent. The zero value is empty. It is safe
// for concurrent use.
type Pages struct {
	mu    sync.Mutex
	lines []byte
	n     int
	at    int64
	kept  []Page // full, or not known to have reached Redis
}

// Add adds a record; value is what the payload was decoded to, nil where it was not.
func (p *Pages) Add(b *Book, r *Record, value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n == 0 {
		p.lines = append(p.lines[:0], b.head...)
	}
	p.lines = appendRecord(p.lines, r)
	if value != nil {
		p.addValues(b, value)
	}
	p.lines = append(p.lines, '\n')
	p.n, p.at = p.n+1, max(p.at, r.AtMs)
	if p.n == maxRecords {
		p.closeLocked()
	}
}

// addValues adds the values of the declared fields to the last line.
func (p *Pages) addValues(b *Book, value any) {
	defer func() { _ = recover() }() // of a type whose methods are not ours: its values are left out
	left := maxValues
	b.fields.Each(value, func(place int, text string) bool {
		p.lines = appendValue(p.lines, place, text)
		left--
		return left > 0
	})
}

func (p *Pages) closeLocked() {
	p.kept = append(p.kept, Page{p.at, p.n, strconv.Itoa(p.n) + string(p.lines)})
	p.n, p.at = 0, 0
}

// Take hands over what was gathered. Pages that did not reach Redis, as far as is known, are to be
// put back: whoever sends them again changes nothing.
func (p *Pages) Take() []Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n > 0 {
		p.closeLocked()
	}
	pages := p.kept
	p.kept = nil
	return pages
}

// PutBack takes pages back.
func (p *Pages) PutBack(pages []Page) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept = append(pages, p.kept...)
}
