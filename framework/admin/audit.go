package admin

import (
	"context"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/queue/control"
	"github.com/duequeue/duequeue/framework/internal/words"
)

// Action is what a person does by a tool. All texts are made printable and bounded.
type Action struct {
	Who    string // required
	Role   string // by which the tool let them
	Via    string // the tool, such as "console"
	Action string // required, such as "redrive"
	Queue  string // required, named as for [Diagnose]
	Target string // which messages: IDs, entries or the text of a filter
	Reason string

	// Shows marks an action that shows or exports something and changes nothing. The number of such
	// entries has its own bound.
	Shows bool
}

// resultTime is how long the end of an action may take to be written.
const resultTime = 5 * time.Second

// Audited writes an action to the audit, carries it out and writes what came of it. do returns
// the result in words, such as "12 redriven". Where the audit cannot be written nothing is done,
// and the error is a [*fault.AuditError] that is Refused. Otherwise the error is that of do, joined
// by one that is not where the result could not be written, which is also tried after ctx has ended.
//
// The audit are two streams of the whole installation, the keys duequeue:audit and, for what Shows,
// duequeue:audit:shown. About 10,000 entries are kept in each, two for each action. They can be
// written while Redis is full.
func Audited(ctx context.Context, c *framework.Client, a Action, do func(ctx context.Context) (result string, err error)) error {
	refuse := func(err error) error {
		return &fault.AuditError{Action: a.Action, Queue: a.Queue, Refused: true, Err: err}
	}
	if a.Who == "" || a.Action == "" {
		return refuse(errors.New("who does what is not given"))
	}
	client := access.Of(c)
	keys, err := client.Keys(a.Queue)
	if err != nil {
		return err
	}
	e := control.AuditEntry{Who: a.Who, Role: a.Role, Via: a.Via, Action: a.Action, Queue: keys.Queue, Target: a.Target, Reason: a.Reason, Shown: a.Shows}
	id, err := control.WriteAudit(ctx, client.Redis, e)
	if err != nil {
		return refuse(err)
	}
	result, err := do(ctx)
	if e.Of, e.Result, e.Failed = id, result, err != nil; err != nil {
		if e.Result != "" {
			e.Result += "; "
		}
		e.Result += err.Error()
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), resultTime)
	defer cancel()
	if _, failed := control.WriteAudit(ending, client.Redis, e); failed != nil {
		return errors.Join(err, &fault.AuditError{Action: a.Action, Queue: a.Queue, Err: failed})
	}
	return err
}

// Audit is an action that took place, or may have.
type Audit struct {
	Action

	ID string    // of its entry
	At time.Time // when it began, by the clock of Redis

	// Ended says that what came of it is known. It is not while the action is under way, and
	// where the tool died or lost Redis before its end.
	Ended  bool
	End    time.Time
	Result string
	Failed bool
}

// AuditOptions choose of the audit. The zero value chooses the newest entries of all.
type AuditOptions struct {
	// Queues, if set, says of which queues entries are returned.
	Queues func(queue string) bool
	// Who and Action are those wanted; empty is all.
	Who, Action string
	// Cursor goes on where a call with the same options ended: its more. Empty begins.
	Cursor string
	// Most bounds how many are returned. Defaults to 50, at most 1,000.
	Most int
}

// auditStep is how many entries are read at once, auditSteps how often for one call.
const (
	auditStep  = 200
	auditSteps = 20
)

// auditPlace is how far a reader has come. Its text is a cursor.
type auditPlace struct {
	ID    string
	Ended []string `json:",omitempty"` // actions of which the end was met, and not the beginning
}

// AuditTrail returns what people have done, newest first. more is the cursor of the next page,
// empty at the end. Entries of queues outside the name mapping of the client are left out. The
// error for a cursor that is not one of AuditTrail is a [*fault.CursorError].
func AuditTrail(ctx context.Context, c *framework.Client, o AuditOptions) (found []Audit, more string, err error) {
	if o.Most <= 0 {
		o.Most = 50
	}
	o.Most = min(o.Most, 1000)
	at, err := parseAuditPlace(o.Cursor)
	if err != nil {
		return nil, "", err
	}
	client := access.Of(c)
	ended := map[string]bool{}
	for _, id := range at.Ended {
		ended[id] = true
	}
	for range auditSteps {
		page, err := control.AuditPage(ctx, client.Redis, at.ID, auditStep)
		if err != nil {
			return found, "", err
		}
		if len(page) == 0 {
			return found, "", nil
		}
		for _, e := range page {
			at.ID = e.ID
			if ended[e.ID] {
				delete(ended, e.ID)
				continue
			}
			a := auditOf(e)
			name, own := client.Own(e.Queue)
			if a.Queue = name; e.Of != "" {
				ended[e.Of] = true
			}
			if !own || !o.chooses(a) {
				continue
			}
			if found = append(found, a); len(found) == o.Most {
				return found, at.text(ended), nil
			}
		}
	}
	return found, at.text(ended), nil
}

func (o AuditOptions) chooses(a Audit) bool {
	return (o.Who == "" || o.Who == a.Who) && (o.Action == "" || o.Action == a.Action.Action) && (o.Queues == nil || o.Queues(a.Queue))
}

func auditOf(e control.AuditEntry) Audit {
	a := Audit{
		Action: Action{Who: e.Who, Role: e.Role, Via: e.Via, Action: e.Action, Target: e.Target, Reason: e.Reason, Shows: e.Shown},
		ID:     e.ID, At: e.At(), Result: e.Result, Failed: e.Failed,
	}
	if e.Of != "" {
		a.ID, a.At, a.Ended, a.End = e.Of, control.AuditTime(e.Of), true, e.At()
	}
	return a
}

func (p auditPlace) text(ended map[string]bool) string {
	p.Ended = nil
	for id := range ended {
		p.Ended = append(p.Ended, id)
	}
	return words.Cursor(p)
}

func parseAuditPlace(place string) (p auditPlace, err error) {
	if place == "" {
		return p, nil
	}
	if err = words.ReadCursor(place, &p); err != nil || !control.ValidAuditID(p.ID) {
		return auditPlace{}, &fault.CursorError{Op: "audit", Err: err}
	}
	return p, nil
}
