package env

import (
	"cmp"
	"context"
	"os"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
)

// Audited carries out what a command changes, and writes it to the audit before and after, see
// [admin.Audited]. Without Who it is the user of this machine.
func (e *Env) Audited(ctx context.Context, c *framework.Client, a admin.Action, do func(ctx context.Context) (result string, err error)) error {
	a.Via, a.Who = "command line", cmp.Or(a.Who, Author())
	return admin.Audited(ctx, c, a, do)
}

// AuditedEach is [Env.Audited] for what one call does to several queues: each has an entry.
func (e *Env) AuditedEach(ctx context.Context, c *framework.Client, queues []string, a admin.Action, do func(ctx context.Context) (result string, err error)) error {
	for _, queue := range queues {
		inner := do
		do = func(ctx context.Context) (result string, err error) {
			a := a
			a.Queue = queue
			err = e.Audited(ctx, c, a, func(ctx context.Context) (string, error) {
				result, err = inner(ctx)
				return result, err
			})
			return result, err
		}
	}
	_, err := do(ctx)
	return err
}

// Author names the user of this machine: $USER and the host.
func Author() string {
	name := cmp.Or(os.Getenv("USER"), os.Getenv("LOGNAME"), "unknown")
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}
