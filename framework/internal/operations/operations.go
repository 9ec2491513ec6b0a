// Package operations is the table of what operators change: each is described once, with its name,
// arguments, role, texts and the function that does it. The command line makes its commands of it,
// the console its forms, and the audit has what both have done by the same names.
//
// To add one, write a function that returns it, and list it in [All].
package operations

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/budget"
)

// Subject is what an operation is done to. It says which arguments name that.
type Subject int

// The subjects.
const (
	Queues  Subject = iota // whole queues, by their names
	Pending                // pending messages: by IDs or keys, or all that a filter chooses
	Dead                   // dead letters: by entries, or all that a filter chooses
	Ready                  // all ready messages of a queue that the arguments choose
	Whole                  // what is in queues, in a way of its own: the command line alone has these
)

// Operation is something that changes queues or messages.
type Operation struct {
	Name    string // of the command, of the console's action, and in the audit
	Subject Subject
	Role    string // the least of the console
	// CommandOnly says why the console does not have it; "" is for both.
	CommandOnly string

	Short    string // what it does, in a line
	Help     string // what else the command line tells
	Examples []string
	// Reason is what -reason is for: by default for the audit. The console asks for one always, the
	// command line where NeedsReason is set.
	Reason      string
	NeedsReason bool
	// Question is asked before it is done to messages that are chosen, and with AsksEach to those that
	// are named, too; %s stands for them. The console wants the name of the queue in its place where
	// Confirms is set.
	Question           string
	AsksEach, Confirms bool
	Done               string // what messages are afterwards: "cancelled"

	Title     string // of the form of the console; one without a title is always open
	Button    string // of its button
	ButtonAll string // of what is done to all that are chosen
	OpenAll   bool   // the form of that needs no click to open
	Note      string // what people must know who press the button

	// New returns a run of it, with values of its own.
	New func() *Run
}

// Run is one use of an operation. One of One and All is set, or both.
type Run struct {
	Args []*Arg
	// Check says what is wrong with the arguments, before anything is asked or done. All says that it
	// is for all that are chosen. It may be nil.
	Check func(all bool) error
	// One does it to what is named: a queue, a message, a dead letter.
	One func(ctx context.Context, c *Call) (Result, error)
	// All does it to all that are chosen.
	All func(ctx context.Context, c *Call) (Counts, error)
	// Choose, if set, chooses before All changes. Without it, All does so itself.
	Choose func(ctx context.Context, c *Call) (more bool, err error)

	// Follows reports whether a process does what was set; Idle whether it does nothing else than
	// before because of it. They are for Queues, and may be nil.
	Follows, Idle func(admin.Control, admin.Process) bool
}

// Call is what a face says of one run.
type Call struct {
	Client      *framework.Client
	Queue       string
	Who, Reason string

	Messages *framework.Queue[[]byte]       // those of the queue; nil for Queues
	Name     string                         // of what is named: an ID or key, an entry, another queue, a person's key
	ByKey    bool                           // Name is a key
	Decode   func(body []byte) (any, error) // reads payloads, where it must

	// Of all that are chosen:
	Filter Filter               // of Pending
	Dead   framework.DeadFilter // of Dead
	// Read returns the line that is shown of a pending message, and its value.
	Read func(m framework.PendingMessage[[]byte]) (line string, value any)
	Pace budget.CountedPace
	Dry  bool  // counts, and changes nothing
	Was  int64 // how many were done before, by a run that this one goes on with

	// Progress, if set, is told how many are done; left says which pending ones are not, nil for all
	// that the filter chooses.
	Progress func(done int64, left *Filter)
	Hold     func(ctx context.Context, left Filter) error // see [Change]
	Looked   func(looked, chosen int64)
	Chose    func(m Message, due string, line string)
	Changed  func(m Message, due string, err error)
	Preview  func(m framework.DeadMessage) // a dead letter that a dry run has chosen
}

func (c *Call) tell(done int64, left *Filter) {
	if c.Progress != nil {
		c.Progress(done, left)
	}
}

// Result is what was done to what was named.
type Result struct {
	Said    string // in a sentence
	Control admin.Control
	ID      framework.ID // of a message
	Due     string       // the due time that it has now, and the one before; see package words
	Was     string
	Of      any // what package admin returned, of Whole
}

// Counts is what was done to all that were chosen.
type Counts struct {
	Done    int64
	Rest    int64 // what was left, and why
	Why     string
	More    int64 // entries that a limit has left; [MostMore] stands for more, too
	Harmful int64 // of the rest, what killed processes or hung
	Unknown int64 // gone after a lost reply
	Left    Filter
}

// MostMore bounds how many entries behind a limit are counted.
const MostMore = 10_000

// Text says what was done: to messages that are so afterwards.
func (n Counts) Text(done string) string {
	text := fmt.Sprintf("%d %s", n.Done, done)
	if n.Why != "" && (n.More == 0 || n.Rest > 0) {
		text += fmt.Sprintf(", %d %s", n.Rest, n.Why)
	}
	text += n.Behind()
	if n.Harmful > 0 {
		text += fmt.Sprintf("; %d of them killed processes or hung, and stay: -harmful puts them back", n.Harmful)
	}
	return text
}

// Behind says how many entries a limit has left.
func (n Counts) Behind() string {
	switch {
	case n.More >= MostMore:
		return fmt.Sprintf(", %d or more match (-limit)", MostMore)
	case n.More > 0:
		return fmt.Sprintf(", %d more match (-limit)", n.More)
	}
	return ""
}

// All are all operations, in the order in which people see them.
var All = []Operation{reschedule, cancel, move, redrive, drop, bury, forget, pause, resume, limit}

// Of returns those of a subject.
func Of(s Subject) (found []Operation) {
	for _, o := range All {
		if o.Subject == s {
			found = append(found, o)
		}
	}
	return found
}

// Named returns the operation of a name; there is one.
func Named(name string) Operation {
	return All[slices.IndexFunc(All, func(o Operation) bool { return o.Name == name })]
}

// Given says in words which arguments were given, for the audit.
func (r *Run) Given() string {
	var words []string
	for _, a := range r.Args {
		if a.Given() {
			words = append(words, a.words())
		}
	}
	return strings.Join(words, ", ")
}

// Arg returns an argument by its name, nil where there is none.
func (r *Run) Arg(name string) *Arg {
	at := slices.IndexFunc(r.Args, func(a *Arg) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return r.Args[at]
}

// ReasonHelp is what the command line tells of -reason.
func (o Operation) ReasonHelp() string { return cmp.Or(o.Reason, "why: the audit shows this `TEXT`") }
