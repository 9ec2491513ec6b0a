package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/operations"
)

// site is where the console has the operations on a subject: those on what is named, and those on all
// that are chosen, with the parameters that say which.
type site struct {
	one, all       string // the page of either; its actions are below
	back           string
	named, choose  []string
	absent, goesOn bool
}

var sites = map[operations.Subject]site{
	operations.Queues:  {one: "/queue", back: "/queue", absent: true},
	operations.Pending: {one: "/message", all: "/pending", back: "/pending", named: []string{"id"}, choose: []string{"text", "within"}, goesOn: true},
	operations.Dead:    {one: "/dead", all: "/dead", back: "/dead", named: []string{"entry"}, choose: []string{"group", "reasons", "text", "class", "all", "after"}, goesOn: true},
	operations.Ready:   {all: "/ready", back: "/ready", goesOn: true},
}

// operationActions are those of the table, and those that steer what of them goes on behind the answer.
func (c *Console) operationActions() (all []action) {
	for subject := operations.Queues; subject < operations.Whole; subject++ {
		at, least := sites[subject], RoleAdmin
		for _, o := range operations.Of(subject) {
			if o.CommandOnly != "" {
				continue
			}
			role, err := ParseRole(o.Role)
			if err != nil {
				panic(err) // a mistake in the table
			}
			least = min(least, role)
			run := o.New()
			if run.One != nil {
				all = append(all, action{
					path: at.one + "/" + o.Name, params: append(fields(run, false), at.named...), absent: at.absent,
					verb: o.Name, role: role, back: at.back, operation: o, do: c.doOne(o),
				})
			}
			if run.All != nil {
				path := at.all + "/" + o.Name
				if run.One != nil {
					path += "-all"
				}
				all = append(all, action{
					path: path, params: append(fields(run, true), at.choose...),
					verb: o.Name, role: role, back: at.back, operation: o, many: true, confirm: o.Confirms, audits: true, tries: true, do: c.doAll(o),
				})
			}
		}
		if at.goesOn {
			all = append(all,
				action{path: at.all + "/go-on", absent: true, params: []string{"run"}, verb: "go on", role: least, back: at.back, audits: true, do: c.goOn},
				action{path: at.all + "/stop", absent: true, params: []string{"run"}, verb: "stop", role: least, back: at.back, do: c.stopRun})
		}
	}
	return all
}

// fields are the arguments that the console has of a run.
func fields(r *operations.Run, all bool) (names []string) {
	for _, a := range r.Args {
		if a.Label != "" && (all || a.Use != operations.OfAll) {
			names = append(names, a.Name)
		}
	}
	return names
}

// runOf reads the arguments of a form.
func runOf(a *acting, o operations.Operation, all bool) (*operations.Run, error) {
	r := o.New()
	for _, name := range a.params {
		arg, text := r.Arg(name), strings.TrimSpace(a.query.Get(name))
		if arg == nil || arg.Label == "" || text == "" {
			continue
		}
		if err := arg.Set(text); err != nil {
			return nil, refuse(http.StatusUnprocessableEntity, "%s: %v", arg.Label, err)
		}
		if arg.Bounds && arg.Text() == "" {
			return nil, refuse(http.StatusUnprocessableEntity, "%s: a number above 0", arg.Label)
		}
	}
	if r.Check != nil {
		if err := r.Check(all); err != nil {
			return nil, refuse(http.StatusUnprocessableEntity, "This cannot be done: %v", err)
		}
	}
	return r, nil
}

// call is what the form of an action says.
func (c *Console) call(ctx context.Context, a *acting, o operations.Operation) (*operations.Call, error) {
	call := &operations.Call{Client: c.client, Queue: a.queue, Who: a.user.Name, Reason: a.reason, Dry: a.dry()}
	var err error
	if o.Subject != operations.Queues {
		call.Messages, err = c.queueOf(ctx, a.request)
	}
	return call, err
}

// doOne does an operation to what a form names.
func (c *Console) doOne(o operations.Operation) func(ctx context.Context, a *acting) (string, error) {
	return func(ctx context.Context, a *acting) (string, error) {
		run, err := runOf(a, o, false)
		if err != nil {
			return "", err
		}
		call, err := c.call(ctx, a, o)
		if err != nil {
			return "", err
		}
		for _, name := range sites[o.Subject].named {
			call.Name = a.query.Get(name)
		}
		r, err := run.One(c.journaling(ctx, a.queue), call)
		return r.Said, refusal(err)
	}
}

// doAll begins an operation on all that a form chooses.
func (c *Console) doAll(o operations.Operation) func(ctx context.Context, a *acting) (string, error) {
	return func(ctx context.Context, a *acting) (string, error) {
		run, err := runOf(a, o, true)
		if err != nil {
			return "", err
		}
		call, err := c.call(ctx, a, o)
		if err == nil {
			err = c.choose(ctx, a, o, call)
		}
		if err != nil {
			return "", err
		}
		r, err := c.begin(a, o.Name, func(ctx context.Context, running *running) (operations.Counts, error) { //nolint:contextcheck // it outlives the request
			call.Was = running.Done
			call.Progress, call.Hold = running.tell, running.hold
			return run.All(c.journaling(ctx, a.queue), call)
		})
		switch {
		case err != nil:
			return "", err
		case r.Dry:
			return "Begun: what is chosen is counted, and nothing is changed. This page shows how many there are (" + r.ID + ").", nil
		}
		return strings.TrimSpace(fmt.Sprintf("Begun: what is chosen becomes %s. This page shows how far it is (%s). %s", o.Done, r.ID, o.Note)), nil
	}
}

// choose says which messages a form chooses. Where a change goes on, those that it has left.
func (c *Console) choose(ctx context.Context, a *acting, o operations.Operation, call *operations.Call) error {
	switch o.Subject {
	case operations.Queues, operations.Ready, operations.Whole: // by their arguments
	case operations.Pending:
		f, _, err := c.pendingFilterOf(a.request)
		if err == nil && f.Text == "" {
			err = refuse(http.StatusBadRequest, "Say which by a text: what is shown of the messages, or the value of a field by which they are found")
		}
		if a.goes != nil {
			f.From, f.Before = a.goes.From, a.goes.Before
		}
		a.left, call.Filter, call.Pace = f.Filter, f.Filter, *c.pace()
		call.Read = func(m framework.PendingMessage[[]byte]) (string, any) {
			row, v := c.pendingRow(a.queue, m)
			return row.Summary, v
		}
		return err
	case operations.Dead:
		f, _, filtered, err := c.deadFilter(ctx, a.request)
		if err == nil && !filtered {
			err = refuse(http.StatusBadRequest, "Say which: a group, a filter or all")
		}
		if a.goes != nil { // what died since it began stays
			f.Until = a.goes.Began
		}
		call.Dead = f
		return err
	}
	return nil
}

// refusal returns the error of a change as people see it: what the user has got wrong apart from what
// Redis has.
func refusal(err error) error {
	var wrong *fault.ControlError
	var id *fault.IDError
	switch {
	case errors.As(err, &wrong):
		return &problem{status: http.StatusUnprocessableEntity, text: "This cannot be set", err: err}
	case errors.Is(err, fault.ErrGone):
		return refuse(http.StatusConflict, "Nothing was changed: %v", err)
	case errors.As(err, &id):
		return refuse(http.StatusBadRequest, "This is no ID of a message: %v", err)
	}
	return deadError(err)
}

// form is an operation on a page, as its template shows it.
type form struct {
	operations.Operation

	To      string
	Args    []*operations.Arg
	All     bool
	Hidden  [][2]string // what the form names or chooses
	Queue   string
	Press   string // what the button says
	Confirm bool
}

// Forms returns the forms of the operations at a page that the user may do. Names and values of
// parameters say what it is done to.
func (v *view) Forms(page string, hidden ...string) (forms []form) {
	return v.forms(page, false, hidden)
}

// FormsOfAll is Forms for what is done to all that are chosen.
func (v *view) FormsOfAll(page string, chosen ...[][2]string) (forms []form) {
	var hidden []string
	for _, pair := range slices.Concat(chosen...) {
		hidden = append(hidden, pair[0], pair[1])
	}
	return v.forms(page, true, hidden)
}

func (v *view) forms(page string, all bool, hidden []string) (forms []form) {
	for _, a := range v.console.allActions() {
		if a.operation.Name == "" || a.many != all || section(a.path) != section(page) || !v.May(a.path) {
			continue
		}
		f := form{Operation: a.operation, To: v.Link(a.path), All: all, Queue: v.Queue, Press: a.operation.Button, Confirm: a.confirm}
		if all {
			f.Press = a.operation.ButtonAll
		}
		for _, arg := range a.operation.New().Args {
			if arg.Label != "" && (all || arg.Use != operations.OfAll) {
				f.Args = append(f.Args, arg)
			}
		}
		for i := 0; i+1 < len(hidden); i += 2 {
			f.Hidden = append(f.Hidden, [2]string{hidden[i], hidden[i+1]})
		}
		forms = append(forms, f)
	}
	return forms
}

// IsSwitch reports whether an argument is there or not.
func (f form) IsSwitch(a *operations.Arg) bool {
	_, is := a.To.(*bool)
	return is
}
