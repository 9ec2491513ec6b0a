package registry

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of what is kept of messages that are done.
const (
	// DefaultJournalLimit is how many messages the journal of a queue tells of where
	// [JournalLimit] is not given.
	DefaultJournalLimit = 100_000

	minJournalLimit = 1000             // more than one page holds
	minJournalKeep  = 10 * time.Minute // some times the minute in which engines delete
)

// Journal keeps the outcome of each message in Redis: handled, dead, expired or cancelled; when,
// how late, at which attempt, and by which process; with its ID, key and the values of the named
// fields. "duequeue find", the console and admin.Search then also find messages that are gone.
// Payloads are not kept, only the values of the fields; paths are those of [SearchField]. Leave
// out fields that people may not see. "duequeue forget" removes a person's traces.
//
// The script that acknowledges a handled message writes its record, so both or neither reach
// Redis. The record of a dead or cancelled message is written right after; it is lost if the
// process is killed at that moment. Messages that Java handles or takes out have no record.
// Records are deleted when they are keep old, within a minute, or when there are more than
// [JournalLimit]. Each takes some 45 bytes of Redis, its key and its values. All processes that
// serve the queue or cancel its messages should declare it. Keep must be at least 10 minutes.
// Defaults to none.
func Journal(keep time.Duration, fields ...string) Option {
	return &journal{keep, fieldPaths{name: "Journal", paths: fields, to: func(p *Policy) *[]string { return &p.journalFields }}}
}

// journal is the option.
type journal struct {
	keep   time.Duration
	fields fieldPaths
}

func (o *journal) String() string {
	args := []string{o.keep.String()}
	for _, path := range o.fields.paths {
		args = append(args, strconv.Quote(path))
	}
	return "Journal(" + strings.Join(args, ", ") + ")"
}

func (o *journal) apply(d *declaration) {
	if !d.once("Journal", "", o.String()) {
		return
	}
	if o.keep < minJournalKeep {
		d.add(&OptionError{Code: d.code, Option: o.String(), Reason: "must keep records for at least " + minJournalKeep.String() + "; without the option none are"})
		return
	}
	d.policy.JournalKeep = o.keep
	if d.policy.JournalLimit == 0 {
		d.policy.JournalLimit = DefaultJournalLimit
	}
	if len(o.fields.paths) > 0 {
		o.fields.apply(d)
	}
}

// JournalLimit caps the [Journal] at n records; the oldest are deleted in batches. Partitions share
// n evenly. At least 1000. Needs Journal. Defaults to [DefaultJournalLimit].
func JournalLimit(n int) Option {
	return &option{
		name: "JournalLimit", arg: strconv.Itoa(n),
		fault: faultIf(n < minJournalLimit, "must be at least "+strconv.Itoa(minJournalLimit)),
		set:   func(p *Policy) { p.JournalLimit = n },
	}
}

// journal checks that there is one where it is bounded.
func (d *declaration) journal() {
	if d.policy.JournalLimit > 0 && d.policy.JournalKeep == 0 && !d.given["Journal"] {
		d.add(&OptionError{Code: d.code, Option: JournalLimit(d.policy.JournalLimit).String(), Reason: "there is no journal: declare registry.Journal"})
	}
}

// JournalFields returns the paths of [Journal]. The slice is the caller's.
func (p Policy) JournalFields() []string { return slices.Clone(p.journalFields) }
