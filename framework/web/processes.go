package web

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/duequeue/duequeue/framework/admin"
)

const processesFresh = 5 * time.Second

// maxAsked is of how many queues the page of all processes shows them.
const maxAsked = 30

func (c *Console) processesPage() page {
	return page{path: "/processes", name: "Processes", at: onTop, role: RoleLook, template: "processes.html", get: c.processes}
}

// processesData is what the page shows.
type processesData struct {
	Queues []queueProcesses
	Left   int // queues that are left out
}

// queueProcesses are those of one queue.
type queueProcesses struct {
	Queue     string
	Processes []admin.Process
	Listeners int64
	Java      int64 // listeners beyond the Go processes, at least
	Err       string
}

func (c *Console) processes(r *request) (any, error) {
	k, err := c.queues(r)
	if err != nil {
		return nil, err
	}
	served := slices.DeleteFunc(k.Queues, func(q admin.QueueStatus) bool {
		return r.queue != "" && q.Queue != r.queue || r.queue == "" && q.Processes == 0 && q.Listeners == 0
	})
	slices.SortStableFunc(served, func(a, b admin.QueueStatus) int {
		return cmp.Or(cmp.Compare(b.Silent, a.Silent), cmp.Compare(b.Processes, a.Processes))
	})
	out := processesData{Left: max(0, len(served)-maxAsked)}
	for _, q := range served[:min(len(served), maxAsked)] {
		one := queueProcesses{Queue: q.Queue, Listeners: q.Listeners}
		if q.Processes > 0 {
			one.Processes, err = read(r, "processes "+q.Queue, processesFresh, func(ctx context.Context) ([]admin.Process, error) {
				return admin.ProcessesNow(ctx, c.client, q.Queue)
			})
			if err != nil {
				one.Err = detail(err)
			}
		}
		one.Java = max(0, q.Listeners-int64(len(one.Processes)))
		out.Queues = append(out.Queues, one)
	}
	return out, nil
}
