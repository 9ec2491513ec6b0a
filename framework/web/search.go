package web

import (
	"context"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/payload"
)

// defaultSearchTime bounds the search of one page; what is left is a link.
const defaultSearchTime = 2 * time.Second

// maxSearched bounds the queues of a search through all of them.
const maxSearched = 50

func (c *Console) searchPage() page {
	return page{path: "/search", params: []string{"text", "cursor"}, name: "Search", at: onTop, role: RoleLook, template: "search.html", get: c.search}
}

type searchData struct {
	Text   string
	Queues []searchedQueue
	Left   int // queues beyond the first fifty
	Took   time.Duration
	Found  int
}

// searchedQueue is what was found in one queue.
type searchedQueue struct {
	Queue, Title string
	Matches      []searchMatch
	Result       admin.SearchResult
	Further      string // address of what is left
	Err          string
}

type searchMatch struct {
	admin.Match
	Payload *shownPayload      // nil where there are no bytes
	Fields  []admin.FieldValue // of a record of the journal, those that may be shown
}

// search answers with what is found by one text, in one queue or in all.
func (c *Console) search(r *request) (any, error) {
	d := searchData{Text: strings.TrimSpace(r.query.Get("text"))}
	if d.Text == "" {
		return d, nil
	}
	queues := []string{r.queue}
	if r.queue == "" {
		k, err := c.queues(r)
		if err != nil {
			return nil, err
		}
		queues = queues[:0]
		for _, q := range k.Queues {
			queues = append(queues, q.Queue)
		}
		d.Left = max(0, len(queues)-maxSearched)
		queues = queues[:min(len(queues), maxSearched)]
	}
	ctx, cancel := context.WithTimeout(c.searching.Of(r.Context(), r.user.Name), 3*c.options.searchTime)
	defer cancel()
	began := time.Now()
	for i, queue := range queues {
		left := max(c.options.searchTime-time.Since(began), 0) / time.Duration(len(queues)-i)
		s := c.searchIn(ctx, r, queue, d.Text, max(left, time.Millisecond))
		if r.queue != "" || len(s.Matches) > 0 || s.Further != "" || s.Err != "" || s.Result.Cut {
			d.Queues = append(d.Queues, s)
		}
		d.Found += len(s.Matches)
	}
	d.Took = time.Since(began)
	return d, nil
}

func (c *Console) searchIn(ctx context.Context, r *request, queue, text string, length time.Duration) searchedQueue {
	s := searchedQueue{Queue: queue}
	if d := c.declared(queue); d != nil {
		s.Title = d.Title()
	}
	var err error
	s.Result, err = admin.Search(ctx, c.client, queue, text, admin.SearchOptions{
		Payloads: c.payloadsOf(queue), Cursor: r.query.Get("cursor"), Time: length, Share: c.options.SearchBudget, MostBytes: admin.MostRead,
	})
	if err != nil {
		s.Err = detail(err)
	}
	visible := payload.FieldsOf(c.payloadsOf(queue).VisibleFields...)
	for _, m := range s.Result.Matches {
		shown := searchMatch{Match: m}
		if m.Journal != nil {
			for _, f := range m.Journal.Fields {
				if visible.Has(f.Path) {
					shown.Fields = append(shown.Fields, f)
				}
			}
		}
		if m.Body != nil {
			p := c.showPayload(queue, m.Body, false)
			shown.Payload = &p
		}
		s.Matches = append(s.Matches, shown)
	}
	if s.Result.More != "" {
		s.Further = c.link("/search", "q", queue, "text", text, "cursor", s.Result.More)
	}
	return s
}
