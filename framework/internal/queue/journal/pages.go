package journal

import (
	"strconv"
	"sync"

	"github.com/duequeue/duequeue/framework/internal/wire"
)

// maxRecords is how many records one page has at most.
const maxRecords = 512

// Page is some records as they are written.
type Page struct {
	from int64 // time of the first record
	at   int64 // of the last one
	n    int
	text []byte
}

// Pages gathers the records of a process until they are sent. The zero value is empty. It is safe
// for concurrent use.
type Pages struct {
	mu   sync.Mutex
	page Page   // that is being written
	size int    // of the last one
	kept []Page // full, or not known to have reached Redis
}

// numberRoom is where the number of records stands in a page: it is known last.
const numberRoom = "     \t"

// Add adds a record of the message own, in its partition; value is what the payload was decoded to,
// nil where it was not. Where own is zero the ID is that of the record, as it stands in Redis.
func (p *Pages) Add(b *Book, r *Record, own wire.MessageID, value any) {
	values := b.values(value) // before the lock: types may have methods that are not ours
	p.mu.Lock()
	defer p.mu.Unlock()
	to := &p.page
	if to.n == 0 {
		to.from = r.AtMs
		to.text = append(make([]byte, 0, p.size+p.size/8+len(b.head)+512), numberRoom...)
		to.text = append(strconv.AppendInt(to.text, r.AtMs, 10), b.head...)
	}
	to.text = appendRecord(to.text, r, to.from, own)
	to.text = append(append(to.text, values...), '\n')
	to.n, to.at = to.n+1, max(to.at, r.AtMs)
	if to.n == maxRecords {
		p.closeLocked()
	}
}

// values returns the values of the declared fields as they stand in a line.
func (b *Book) values(value any) (text []byte) {
	if value == nil || b.value == nil {
		return nil
	}
	defer func() {
		if recover() != nil {
			text = nil
		}
	}()
	left := maxValues
	b.fields.Each(value, func(place int, found string) bool {
		text = appendValue(text, place, found)
		left--
		return left > 0
	})
	return text
}

func (p *Pages) closeLocked() {
	strconv.AppendInt(p.page.text[:0], int64(p.page.n), 10)
	p.size = len(p.page.text)
	p.kept = append(p.kept, p.page)
	p.page = Page{}
}

// Take hands over what was gathered. Pages that did not reach Redis, as far as is known, are to be
// put back: whoever sends them again changes nothing.
func (p *Pages) Take() []Page {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.page.n > 0 {
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
