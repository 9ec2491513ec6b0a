package env

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// lookAround bounds the search for the queue that was meant.
const lookAround = 3 * time.Second

// NoSuchQueueError says that a queue has no key and no listener.
type NoSuchQueueError struct {
	Queue   string
	Where   string   // which database was looked at, and which others hold keys
	Similar []string // queues whose names are like it
}

// Error says what to look at.
func (e *NoSuchQueueError) Error() string {
	text := "no such queue: " + screen.Name(e.Queue)
	if len(e.Similar) > 0 {
		return text + "; did you mean " + strings.Join(e.Similar, " or ") + "?"
	}
	return text + ": " + e.Where + "; \"duequeue queues\" lists those that there are"
}

// Exists returns a [*NoSuchQueueError] for the first queue that has neither a key nor a listener.
// Who may not ask for that gets nil.
func (e *Env) Exists(ctx context.Context, client *framework.Client, queues ...string) error {
	for _, queue := range queues {
		if err := exists(ctx, client, queue); err != nil {
			return err
		}
	}
	return nil
}

func exists(ctx context.Context, client *framework.Client, queue string) error {
	found, err := admin.Absent(ctx, client, queue)
	if err != nil || len(found) == 0 {
		return nil // the command itself says why
	}
	ctx, cancel := context.WithTimeout(ctx, lookAround)
	defer cancel()
	missing := &NoSuchQueueError{Queue: queue, Where: found[0].Message}
	all, _, err := admin.Queues(ctx, client, admin.QueuesOptions{})
	if err != nil {
		return missing
	}
	var names []string
	for _, q := range all {
		names = append(names, q.Queue)
	}
	if slices.Contains(names, queue) {
		return nil // who listens, makes it one
	}
	missing.Similar = similar(queue, names)
	return missing
}

// similar returns the names of which one was likely meant, the likeliest first.
func similar(queue string, names []string) (found []string) {
	for _, name := range names {
		if strings.EqualFold(name, queue) {
			found = append(found, screen.Name(name))
		}
	}
	if len(found) > 0 {
		return found
	}
	for range 3 {
		best := config.Nearest(queue, names)
		if best == "" {
			break
		}
		found = append(found, screen.Name(best))
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == best })
	}
	return found
}

// Queue opens a queue that exists.
func (e *Env) Queue(ctx context.Context, client *framework.Client, name string) (*framework.Queue[[]byte], error) {
	if err := e.Exists(ctx, client, name); err != nil {
		return nil, err
	}
	return admin.Queue(ctx, client, name)
}

// EachQueue connects and does something with each of some queues, which must exist.
func (e *Env) EachQueue(ctx context.Context, queues []string, do func(ctx context.Context, client *framework.Client, queue string) error) (err error) {
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	for _, queue := range queues {
		if err = e.Exists(ctx, client, queue); err != nil {
			return err
		}
		if err = do(ctx, client, queue); err != nil {
			return err
		}
	}
	return nil
}

// Warn says something to people on stderr.
func (e *Env) Warn(format string, args ...any) {
	fmt.Fprintf(e.Stderr, "duequeue: "+format+"\n", args...)
}
