package inspect

import (
	"context"
	"slices"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/handlers"
)

// report is a queue as it was found.
type report struct {
	Queue      string       `json:"queue"`
	Partitions int          `json:"partitions"`
	Ready      int64        `json:"ready"`
	Delayed    int64        `json:"delayed"`
	Overdue    int64        `json:"overdue"`
	Dead       int64        `json:"dead"`
	Layouts    layouts      `json:"layouts"`
	Codecs     []verdict    `json:"codecs,omitempty"`
	Configured []configured `json:"configured,omitempty"` // by methods of the classes

	Listeners int64     `json:"listeners"` // programs that transfer the queue, Java's and Go's
	Processes []process `json:"processes,omitempty"`

	Declare  string   `json:"declare,omitempty"`  // Go source
	Imports  []string `json:"imports,omitempty"`  // of Declare
	Javadesc []string `json:"javadesc,omitempty"` // classes for "duequeue javadesc"
	Notes    []string `json:"notes,omitempty"`    // what to know before Go joins
}

// process is a Go process that serves the queue.
type process struct {
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Program string `json:"program"`
	Version string `json:"version"`
}

// layouts counts the pending elements of a sample by who can read them.
type layouts struct {
	Of        int `json:"of"`        // how many were looked at
	Old       int `json:"old"`       // by Redisson up to 3.21.0 alone, which wrote them
	New       int `json:"new"`       // by Redisson since 3.21.1 alone, which wrote them
	Universal int `json:"universal"` // by all: Go wrote or rewrote them
	Other     int `json:"other"`     // by Redisson since 3.21.1: an id of another length
	Malformed int `json:"malformed"` // by none
}

// writers says in words which releases the elements are of.
func (l layouts) writers() string {
	switch {
	case l.Of == 0:
		return "nothing is pending, so nothing tells which Redisson writes"
	case l.Old > 0 && l.New+l.Other > 0:
		return "both Redisson up to 3.21.0 and since 3.21.1"
	case l.Old > 0:
		return "Redisson up to 3.21.0"
	case l.New+l.Other > 0:
		return "Redisson since 3.21.1"
	case l.Universal > 0:
		return "Go, or a migration"
	}
	return "no Redisson"
}

// look reads counts and a sample of a queue. It changes nothing.
func look(ctx context.Context, client *framework.Client, status admin.QueueStatus, sample int64) (report, [][]byte, error) {
	r := report{
		Queue: status.Queue, Ready: status.Ready, Delayed: status.Delayed, Overdue: status.Overdue, Dead: status.Dead, Listeners: status.Listeners,
	}
	parts, err := admin.Partitions(ctx, client, status.Queue)
	if err != nil {
		return r, nil, err
	}
	for _, p := range parts {
		if p.Used {
			r.Partitions++
		}
	}
	all, err := admin.ProcessesNow(ctx, client, status.Queue)
	if err != nil {
		return r, nil, err
	}
	for _, p := range all {
		r.Processes = append(r.Processes, process{p.Host, p.PID, p.Program, p.Version})
	}
	q, err := admin.Queue(ctx, client, status.Queue)
	if err != nil {
		return r, nil, err
	}
	var bodies [][]byte
	pending, err := q.Pending().Page(ctx, 0, sample)
	if err != nil {
		return r, nil, err
	}
	for _, m := range pending {
		r.Layouts.add(m)
		if m.Body != nil {
			bodies = append(bodies, m.Body)
		}
	}
	ready, err := q.Ready().Page(ctx, 0, sample)
	if err != nil {
		return r, nil, err
	}
	for _, m := range ready {
		bodies = append(bodies, m.Body)
	}
	dead, err := q.Dead().Page(ctx, "", sample)
	if err != nil {
		return r, nil, err
	}
	for _, m := range dead {
		if m.Reason != handlers.ReasonMalformed { // which is an element, and no payload
			bodies = append(bodies, m.Body)
		}
	}
	return r, slices.DeleteFunc(bodies, func(b []byte) bool { return len(b) == 0 }), nil // which say nothing of the codec
}

func (l *layouts) add(m framework.PendingMessage[[]byte]) {
	l.Of++
	id, err := wire.ParseID(string(m.ID))
	switch {
	case m.Body == nil && m.Err != nil:
		l.Malformed++
	case err != nil:
		l.Other++
	case id.Element.Universal():
		l.Universal++
	case id.Element.Kind == wire.KindJava:
		l.New++
	default:
		l.Old++
	}
}
