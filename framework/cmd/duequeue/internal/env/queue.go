package env

import (
	"context"
	"errors"
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

// Names returns the queues that are meant: those with these names, which must exist, those that match
// a pattern such as 'ORDERS_*', and without names all of the database.
func (e *Env) Names(ctx context.Context, client *framework.Client, queues []string) (out []string, err error) {
	var all []string
	for _, queue := range queues {
		if !strings.Contains(queue, "*") {
			if err = e.Exists(ctx, client, queue); err != nil {
				return nil, err
			}
			out = append(out, queue)
			continue
		}
		if all == nil {
			if all, err = found(ctx, e, client); err != nil {
				return nil, err
			}
		}
		n := len(out)
		for _, name := range all {
			if matches(queue, name) {
				out = append(out, name)
			}
		}
		if len(out) == n {
			return nil, fmt.Errorf("no queue matches %s", screen.Name(queue))
		}
	}
	if len(queues) > 0 {
		return out, nil
	}
	return found(ctx, e, client)
}

// matches reports whether a name is that of a pattern, in which a star stands for any text.
func matches(pattern, name string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return name == pattern
	}
	name, ok := strings.CutPrefix(name, first)
	for i := 0; ok && i <= len(name); i++ {
		if matches(rest, name[i:]) {
			return true
		}
	}
	return false
}

// found searches for all queues.
func found(ctx context.Context, e *Env, client *framework.Client) ([]string, error) {
	all, more, err := admin.Queues(ctx, client, admin.QueuesOptions{})
	if more {
		e.Warn("there are more than %d queues: name the others", len(all))
	}
	names := make([]string, len(all))
	for i, q := range all {
		names[i] = q.Queue
	}
	return names, err
}

// EachFound connects and looks at each of the queues that are meant, see Names.
func (e *Env) EachFound(ctx context.Context, queues []string, look func(ctx context.Context, client *framework.Client, queue string) error) (err error) {
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	names, failed := e.Names(ctx, client, queues)
	for _, queue := range names {
		if err = look(ctx, client, queue); err != nil {
			return errors.Join(err, failed)
		}
	}
	return failed
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
