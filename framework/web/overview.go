package web

import (
	"cmp"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// maxRows bounds the rows of the overview; a filter finds the others.
const maxRows = 200

func (c *Console) overviewPage() page {
	return page{path: "/", params: []string{"find", "sort"}, name: "Queues", at: onTop, role: RoleLook, template: "overview.html", get: c.overview}
}

// overview is what the page of all queues shows.
type overview struct {
	Rows      []row
	Columns   []column
	Find      string
	All       int // queues that there are, before the filter
	Matching  int
	More      bool
	Searching bool
	Unknown   bool // which queues there are
	Unread    int  // queues whose status was not read yet

	Server     []admin.Finding // errors of the server: they are of all queues
	Unexamined string          // why the server was not examined

	Bad, Warn int // of all
	Sum       admin.QueueStatus
}

// row is a queue in a table.
type row struct {
	admin.QueueStatus

	Queue string
	Title string
	admin.Verdict

	Class string // of the state
	Spark template.HTML
}

// column is one that can be sorted by.
type column struct {
	Key, Name, Hint string
	Number          bool
	To              string // sorts by it
	Mark            string // of the one that is sorted by
}

// orders compare rows, the worst or largest first but for names.
var orders = map[string]func(a, b row) int{
	"state":   func(a, b row) int { return cmp.Compare(b.Rank(), a.Rank()) },
	"queue":   func(a, b row) int { return strings.Compare(a.Queue, b.Queue) },
	"lag":     func(a, b row) int { return cmp.Compare(b.Lag, a.Lag) },
	"ready":   func(a, b row) int { return cmp.Compare(b.Ready, a.Ready) },
	"pending": func(a, b row) int { return cmp.Compare(b.Delayed, a.Delayed) },
	"overdue": func(a, b row) int { return cmp.Compare(b.Overdue, a.Overdue) },
	"held":    func(a, b row) int { return cmp.Compare(b.InFlight, a.InFlight) },
	"dead":    func(a, b row) int { return cmp.Compare(b.Dead, a.Dead) },
	"listen":  func(a, b row) int { return cmp.Compare(b.Listeners, a.Listeners) },
	"serve":   func(a, b row) int { return cmp.Compare(b.Processes, a.Processes) },
}

func (c *Console) overview(r *request) (any, error) {
	k, err := c.queues(r)
	if err != nil {
		return nil, err
	}
	out := overview{Find: strings.TrimSpace(r.query.Get("find")), More: k.More, Searching: k.Searching, Unknown: k.Searching || k.Unsearched != nil}
	server, err := c.serverFindings().read(r)
	if err != nil {
		out.Unexamined = detail(err)
	}
	for _, f := range server {
		if f.Severity == admin.SeverityError {
			out.Server = append(out.Server, f)
		}
	}
	find := strings.ToLower(out.Find)
	if find != "" && len(k.Queues)+len(k.Unread) > maxStatus {
		if err = c.matching(r, &k, find); err != nil {
			return nil, err
		}
	}
	if k.Unsearched != nil {
		r.stale, r.since = k.Unsearched, k.Failed
	}
	out.All, out.Unread = len(k.Queues)+len(k.Unread), len(k.Unread)
	for _, q := range k.Queues {
		one := row{QueueStatus: q, Queue: q.Queue, Verdict: admin.Judge(q)}
		one.Class = classes[one.Severity]
		if d := c.declared(q.Queue); d != nil && d.Title() != q.Queue {
			one.Title = d.Title()
		}
		switch one.Severity {
		case admin.SeverityError:
			out.Bad++
		case admin.SeverityWarning:
			out.Warn++
		default:
		}
		s := &out.Sum
		s.Ready, s.Delayed, s.Overdue, s.InFlight, s.Dead = s.Ready+q.Ready, s.Delayed+q.Delayed, s.Overdue+q.Overdue, s.InFlight+q.InFlight, s.Dead+q.Dead
		s.Lag = max(s.Lag, q.Lag)
		if find == "" || strings.Contains(strings.ToLower(q.Queue+" "+one.Title+" "+one.State), find) {
			out.Rows = append(out.Rows, one)
		}
	}
	out.Matching = len(out.Rows)
	out.Columns = c.sortRows(r, out.Rows)
	out.Rows = out.Rows[:min(len(out.Rows), maxRows)]
	for i := range out.Rows {
		out.Rows[i].Spark = c.spark(out.Rows[i].Queue)
	}
	return out, nil
}

// sortRows sorts as the request says, else the worst first, and returns the columns.
func (c *Console) sortRows(r *request, rows []row) []column {
	by, turned := strings.CutPrefix(r.query.Get("sort"), "-")
	order, ok := orders[by]
	if !ok {
		by, turned, order = "state", false, orders["state"]
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		n := order(a, b)
		if turned {
			n = -n
		}
		return cmp.Or(n, orders["lag"](a, b), orders["overdue"](a, b), orders["dead"](a, b), orders["queue"](a, b))
	})
	columns := []column{
		{Key: "queue", Name: "Queue"},
		{Key: "state", Name: "State"},
		{Key: "lag", Name: "Lag", Number: true, Hint: "for how long the oldest message that is due has waited for a handler"},
		{Key: "ready", Name: "Ready", Number: true, Hint: "due, and waiting for a consumer"},
		{Key: "pending", Name: "Pending", Number: true, Hint: "offered, and not transferred yet"},
		{Key: "overdue", Name: "Overdue", Number: true, Hint: "pending though due"},
		{Key: "held", Name: "In flight", Number: true, Hint: "in flight at Go processes, as they say"},
		{Key: "dead", Name: "Dead", Number: true, Hint: "given up, with the reason"},
		{Key: "serve", Name: "Processes", Number: true, Hint: "Go processes that serve the queue"},
		{Key: "listen", Name: "Listeners", Number: true, Hint: "programs that transfer the queue, Java's included"},
	}
	for i := range columns {
		col := &columns[i]
		key := col.Key
		if key == by {
			col.Mark = "↓"
			if turned != (key == "queue") {
				col.Mark = "↑"
			}
			if !turned {
				key = "-" + key
			}
		}
		col.To = c.link("/", "find", r.query.Get("find"), "sort", key)
	}
	return columns
}

// spark draws the last half hour of what waits.
func (c *Console) spark(queue string) template.HTML {
	points := c.since(queue, 30*time.Minute)
	if len(points) < 3 {
		return ""
	}
	var p plot
	for _, point := range points {
		p.Add(point.At.UnixMilli(), float64(point.Ready))
	}
	return lineChart(&p, 96, 22, "ready messages since "+words.Span(time.Since(points[0].At))+" ago")
}
