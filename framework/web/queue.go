package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/words"
	"github.com/duequeue/duequeue/registry"
)

// How old the readings of the page may get.
const (
	countsFresh   = 2 * time.Second
	findingsFresh = 10 * time.Second
	serverFresh   = 15 * time.Second
	forecastFresh = 10 * time.Second
	// examineMost is how long a page waits for the doctor, who asks Redis many things in turn.
	examineMost = 1500 * time.Millisecond
	// walkMost is how many elements the doctor looks at for this page.
	walkMost = 300
)

func (c *Console) queuePage() page {
	return page{path: "/queue", params: []string{"due"}, name: "Summary", at: inQueue, role: RoleLook, template: "queue.html", get: c.queue}
}

// queueData is what the page of one queue shows.
type queueData struct {
	Counts   framework.Counts
	Status   admin.QueueStatus
	Verdict  verdict
	Findings []admin.Finding // the others
	Unknown  string          // what could not be examined
	Down     bool            // its Redis node does not answer: nothing else is known

	Ranges   []navLink
	Forecast forecastView

	Since  time.Time   // of the history
	Charts []chartView // of the history; empty where there is none

	Control    admin.Control
	ControlErr string
	Partitions []admin.Partition
	Policy     []fact
}

// verdict is what is so in a sentence, why, and what to do.
type verdict struct {
	Class, State, Text, Advice string

	Evidence string        // text of the last error, for those who may see payloads
	Command  string        // does it, or shows more
	Tab      tab           // page that does it or shows more
	Age      time.Duration // of the oldest reading behind it
}

// tab is a page of the queue, or a part of one.
type tab struct{ Path, Anchor, Label string }

// fact is a line of a list.
type fact struct{ Name, Value string }

func (c *Console) queue(r *request) (any, error) {
	var out queueData
	var err error
	name := r.queue
	counts := reading[framework.Counts]{"counts " + name, countsFresh, func(ctx context.Context) (framework.Counts, error) {
		q, failed := admin.Queue(ctx, c.client, name)
		if failed != nil {
			return framework.Counts{}, failed
		}
		return q.Counts(ctx)
	}}
	status := reading[admin.QueueStatus]{"status " + name, countsFresh, func(ctx context.Context) (admin.QueueStatus, error) {
		all, failed := admin.StatusOf(ctx, c.client, name)
		if failed != nil {
			return admin.QueueStatus{}, failed
		}
		return all[0], nil
	}}
	control := reading[admin.Control]{"control " + name, countsFresh, func(ctx context.Context) (admin.Control, error) { return admin.ControlOf(ctx, c.client, name) }}
	parts := reading[[]admin.Partition]{"partitions " + name, findingsFresh, func(ctx context.Context) ([]admin.Partition, error) { return admin.Partitions(ctx, c.client, name) }}
	counts.ahead(r)
	status.ahead(r)
	control.ahead(r)
	parts.ahead(r)
	c.findings(r).ahead(r)
	c.serverFindings().ahead(r)
	if out.Status, err = status.read(r); err != nil {
		return nil, err
	}
	if !c.options.OnlyDeclared {
		c.discover()
	}
	c.stands.compared(&out.Status)
	if out.Down = rediserr.MayPass(out.Status.Err); out.Down {
		c.judge(r, &out)
		return out, nil
	}
	if out.Counts, err = counts.read(r); err != nil {
		return nil, err
	}
	out.Control, err = control.read(r)
	if err != nil {
		out.ControlErr = detail(err)
	}
	c.judge(r, &out)
	if out.Partitions, err = parts.read(r); err != nil {
		return nil, err
	}
	if out.Forecast, err = c.forecast(r, out.Partitions); err != nil {
		return nil, err
	}
	out.Ranges = c.ranges(r)
	if c.history != nil {
		out.Since = c.history.Begun()
		out.Charts = charts(c.history.Coarse(name, drawn))
	}
	if d := c.declared(name); d != nil {
		out.Policy = policyFacts(d)
	}
	return out, nil
}

// findings is what the messages of the queue show.
func (c *Console) findings(r *request) reading[[]admin.Finding] {
	name := r.queue
	return reading[[]admin.Finding]{"findings " + name, findingsFresh, func(ctx context.Context) ([]admin.Finding, error) {
		o := admin.DiagnoseOptions{Walk: walkMost}
		if reader, err := c.payloads.reading(""); err == nil {
			o.Guess = reader.CodecOf
		}
		if d := c.declared(name); d != nil {
			o.Codec, o.View = d.Policy().Codec, d.Policy().View
		}
		return admin.Examine(ctx, c.client, name, o)
	}}
}

func (c *Console) serverFindings() reading[[]admin.Finding] {
	return reading[[]admin.Finding]{"findings", serverFresh, func(ctx context.Context) ([]admin.Finding, error) {
		return admin.Diagnose(ctx, c.client, nil, admin.DiagnoseOptions{})
	}}
}

// errExamining says that a page did not wait for the doctor to the end.
var errExamining = errors.New("the examination is under way: look again in some seconds")

// judge asks for the verdict by the status and by what was examined, and for the findings of the
// server.
func (c *Console) judge(r *request, out *queueData) {
	name := r.queue
	within, cancel := context.WithTimeoutCause(r.Context(), examineMost, errExamining)
	defer cancel()
	page := r.Request
	r.Request = page.WithContext(within)
	found, err := c.findings(r).read(r)
	server, serverErr := c.serverFindings().read(r)
	r.Request = page
	if err = errors.Join(err, serverErr); err != nil {
		out.Unknown = detail(err)
	}
	v := admin.Judge(out.Status, found...)
	hide := r.user.on(name) < RoleSupport
	for _, f := range slices.Concat(v.Findings, server) {
		if f.Severity == admin.SeverityInfo && f.Queue == "" { // what was not checked for want of time is none
			continue
		}
		if hide {
			f.Evidence = ""
		}
		out.Findings = append(out.Findings, f)
	}
	slices.SortStableFunc(out.Findings, func(a, b admin.Finding) int { // an error of the server stands before warnings of the queue
		return cmp.Compare(severities[a.Severity], severities[b.Severity])
	})
	out.Verdict = verdict{Class: "good", State: v.State, Text: sentence(v.Proof)}
	if out.Unknown != "" {
		out.Verdict = verdict{Class: "warn", State: "unknown", Text: "Not everything could be examined.", Advice: out.Unknown}
	}
	if len(out.Findings) > 0 && (v.Severity != "" || out.Findings[0].Severity == admin.SeverityError) {
		f := out.Findings[0]
		out.Verdict = verdict{
			Class: classes[f.Severity], State: cmp.Or(f.State, f.Check), Text: sentence(f.Message), Advice: sentence(f.Advice),
			Evidence: f.Evidence, Command: f.Command, Tab: tabs[f.Check], Age: f.Age,
		}
		out.Findings = out.Findings[1:]
	}
}

// severities are in the order of a page.
var severities = map[admin.Severity]int{admin.SeverityError: 0, admin.SeverityWarning: 1, admin.SeverityInfo: 2}

// classes paint a severity.
var classes = map[admin.Severity]string{admin.SeverityError: "bad", admin.SeverityWarning: "warn", admin.SeverityInfo: "info", "": "good"}

// tabs do what a check advises, or show more of what it has found.
var tabs = map[string]tab{
	"dead":      {"/dead", "", "Show the dead letters"},
	"malformed": {"/dead", "", "Show the dead letters"},
	"overdue":   {"/pending", "", "Show what is pending"},
	"listeners": {"/pending", "", "Show what is pending"},
	"ready":     {"/ready", "", "Show what is ready"},
	"slow":      {"/processes", "", "Show the processes"},
	"hung":      {"/processes", "", "Show the processes"},
	"silent":    {"/processes", "", "Show the processes"},
	"sessions":  {"/processes", "", "Show the processes"},
	"intake":    {"/processes", "", "Show the processes"},
	"control":   {"/queue", "steer", "Resume, or change the limit"},
	"rate":      {"/queue", "steer", "Change the limit"},
}

// sentence begins with a capital letter, unless it begins with a command, and ends with a full stop.
func sentence(text string) string {
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, "duequeue "):
		return text + "."
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// policyFacts is what the program declares.
func policyFacts(d registry.Descriptor) []fact {
	p := d.Policy()
	attempts := strconv.Itoa(p.MaxAttempts)
	if p.MaxAttempts == registry.Unlimited {
		attempts = "without end"
	}
	facts := []fact{
		{"Codec", p.Codec.Name()},
		{"Payload", d.Type().String()},
		{"Attempts", attempts},
		{"Backoff", firstLine(fmt.Sprint(p.Backoff))},
		{"Timeout of a handler", words.Span(p.Timeout)},
	}
	if p.MaxLateness > 0 {
		facts = append(facts, fact{"Latest start", words.Span(p.MaxLateness) + " after due"})
	}
	if p.MaxAge > 0 {
		facts = append(facts, fact{"Retried for", words.Span(p.MaxAge)})
	}
	if n := p.AllPartitions(); n > 1 {
		facts = append(facts, fact{"Partitions", strconv.Itoa(n)})
	}
	if p.JournalKeep > 0 {
		facts = append(facts, fact{"Journal", words.Span(p.JournalKeep) + ", " + count(p.JournalLimit) + " messages at most"})
	}
	dead := "all are kept"
	if p.DeadLimit > 0 {
		dead = count(p.DeadLimit) + " at most"
	}
	if p.DeadAge > 0 {
		dead += ", for " + words.Span(p.DeadAge)
	}
	return append(facts, fact{"Dead letters", dead}, fact{"Declared at", d.Declared()})
}
