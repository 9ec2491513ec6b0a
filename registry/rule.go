package registry

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

// Rule says how a queue treats failures by some errors, where that differs from its
// policy. It is made by option [On]; ask [Policy.RuleFor] for the one that an error
// meets. A rule is immutable.
type Rule struct {
	match ErrorMatch
	then  treatment
	texts []string
}

// treatment is what the actions of a rule say.
type treatment struct {
	attempts  int // 0: those of the queue
	backoff   Schedule
	dead      bool
	reason    string
	transient bool
	quiet     bool
}

// Action says what a [Rule] does: [Attempts], [BackoffOf], [DeadLetter], [Transient]
// or [IgnoreBreaker].
type Action struct {
	name, arg, fault string
	set              func(*treatment)
}

// String returns the action as the program says it.
func (a Action) String() string { return a.name + "(" + a.arg + ")" }

// Attempts overrides [MaxAttempts] for failures that match the rule: a message whose n-th
// failure this is, or a later one, goes to the dead store. All failures of the message
// count, whatever their errors were.
func Attempts(n int) Action {
	return Action{
		name: "Attempts", arg: strconv.Itoa(n),
		fault: faultIf(n < 1 || n > Unlimited, "must be at least 1; use registry.Unlimited for retries without end"),
		set:   func(t *treatment) { t.attempts = n },
	}
}

// BackoffOf overrides [Backoff] for failures that match the rule. The schedule gets the attempt
// number, which counts all failures of the message.
func BackoffOf(s Schedule) Action {
	if isNil(s) {
		return Action{name: "BackoffOf", arg: "nil", fault: "the schedule must not be nil"}
	}
	return Action{name: "BackoffOf", arg: scheduleText(s), fault: scheduleFault(s), set: func(t *treatment) { t.backoff = s }}
}

// DeadLetter sends the message to the dead store at once, as handlers.Reject does: the
// reason kept there is "rejected", with this text and that of the error. The breaker
// does not count it.
func DeadLetter(reason string) Action {
	return Action{name: "DeadLetter", arg: fmt.Sprintf("%q", reason), set: func(t *treatment) { t.dead, t.reason = true, reason }}
}

// Transient marks the failures as those of something the handler depends on, as
// handlers.Transient does: the breaker counts them, and they cost no attempt. Bound such
// retries by [MaxAge].
func Transient() Action {
	return Action{name: "Transient", set: func(t *treatment) { t.transient = true }}
}

// IgnoreBreaker makes the breaker ignore the failures: they say nothing about what the
// handler depends on.
func IgnoreBreaker() Action {
	return Action{name: "IgnoreBreaker", set: func(t *treatment) { t.quiet = true }}
}

// On sets how failures by errors of one kind are treated:
//
//	registry.On(registry.ErrorIs(sql.ErrNoRows), registry.DeadLetter("no such order")),
//	registry.On(registry.ErrorAs[*smtp.BusyError](), registry.Attempts(20), registry.BackoffOf(registry.Steps(time.Minute))),
//
// It may be given many times: the first rule that matches an error counts, and the queue's
// policy decides what the rule does not. Rules do not overrule a handler: they ignore
// handlers.Reject, handlers.Permanent and undecodable payloads. To handlers.Retry and
// handlers.RetryAfter they add their attempts, their breaker action and, if the handler
// names no delay, their backoff.
func On(match ErrorMatch, actions ...Action) Option {
	return &ruleOption{match: match, actions: actions}
}

type ruleOption struct {
	match   ErrorMatch
	actions []Action
}

func (o *ruleOption) String() string { return ruleText(o.match, o.actions) }

func ruleText(m ErrorMatch, actions []Action) string {
	parts := []string{m.String()}
	for _, a := range actions {
		parts = append(parts, a.String())
	}
	return "On(" + strings.Join(parts, ", ") + ")"
}

// apply keeps all mistakes of the rule.
func (o *ruleOption) apply(d *declaration) {
	bad := func(reason string) { d.add(&OptionError{Code: d.code, Option: o.String(), Reason: reason}) }
	sound := true
	if fault := o.match.problem(); fault != "" {
		sound = false
		bad(fault)
	}
	if len(o.actions) == 0 {
		sound = false
		bad("it says which errors, and not what becomes of them: add an action, such as registry.DeadLetter")
	}
	r := Rule{match: o.match}
	given := map[string]bool{}
	for _, a := range o.actions {
		switch {
		case a.name == "":
			a.fault = "an empty Action: use one of the functions that make them"
		case given[a.name]:
			a.fault = a.String() + " is given twice: which one counts?"
		case a.fault != "":
			a.fault = a.String() + ": " + a.fault
		}
		given[a.name] = true
		r.texts = append(r.texts, a.String())
		if a.fault != "" {
			sound = false
			bad(a.fault)
			continue
		}
		a.set(&r.then)
	}
	if r.then.dead && len(given) > 1 {
		sound = false
		bad("a message that goes to the dead store at once is not retried: leave the other actions out")
	}
	if given["Transient"] && given["IgnoreBreaker"] {
		sound = false
		bad("what is transient is for the breaker to count: leave one of both out")
	}
	for _, earlier := range d.policy.rules {
		if sound && earlier.match.covers(o.match) {
			sound = false
			bad("never reached: " + earlier.String() + " comes before it and matches the same errors")
		}
	}
	if sound {
		d.policy.rules = append(d.policy.rules, r)
	}
}

// String returns the rule as it is written in Go source.
func (r Rule) String() string {
	return "On(" + strings.Join(append([]string{r.match.String()}, r.texts...), ", ") + ")"
}

// Rules returns the rules of option [On] in the order of the declaration, written as in Go source.
func (p Policy) Rules() []string {
	out := make([]string, len(p.rules))
	for i, r := range p.rules {
		out[i] = r.String()
	}
	return out
}

// RuleFor returns the first rule that meets err, and whether there is one. A method of
// err that panics, or an error that wraps itself, is an error that no rule meets.
func (p Policy) RuleFor(err error) (Rule, bool) {
	if err == nil {
		return Rule{}, false
	}
	for _, r := range p.rules {
		if r.match.meets(err) {
			return r, true
		}
	}
	return Rule{}, false
}

// Judge completes what the error of a handler means by the queue's rules; see [On].
// failed and delivered are the earlier failures and deliveries of the message, without this
// attempt: schedules go by failed or, if the failure is transient and costs no attempt, by
// delivered, so that such retries become rarer too.
// An outcome that no rule meets is returned unchanged: the policy then decides delay and
// attempts. Judge panics if a schedule of a rule does.
func (p Policy) Judge(o handlers.Outcome, failed, delivered int) handlers.Outcome {
	if o.Kind != handlers.Retried || len(p.rules) == 0 {
		return o
	}
	r, ok := p.RuleFor(o.Err)
	if !ok {
		return o
	}
	t := r.then
	if t.dead {
		if handlers.Decided(o.Err) {
			return o
		}
		return handlers.Outcome{Kind: handlers.Rejected, Reason: deadReason(t.reason, o.Err), Err: o.Err}
	}
	o.MaxAttempts = t.attempts
	switch {
	case t.transient:
		o.Transient, o.CountsForBreaker = true, true
	case t.quiet:
		o.Transient, o.CountsForBreaker = false, false
	}
	if t.backoff != nil && o.Delay < 0 {
		o.Delay = delayOf(t.backoff, Tries(o, failed, delivered)+1)
	}
	return o
}

// Tries is how many earlier attempts a schedule counts for a message that fails with o: its
// failures or, if o is transient, its deliveries.
func Tries(o handlers.Outcome, failed, delivered int) int {
	if o.Transient {
		return max(failed, delivered)
	}
	return failed
}

// deadReason joins the rule's reason and the error's text, which is somebody's code.
func deadReason(reason string, err error) string {
	text := errorText(err)
	if reason == "" {
		return text
	}
	return reason + ": " + text
}

// delayOf asks a schedule, and keeps its answer between zero and the longest delay.
func delayOf(s Schedule, attempt int) time.Duration {
	return clamped(s.Delay(attempt, rand.Float64())) // spreads load, keeps no secret
}

func clamped(d time.Duration) time.Duration { return min(max(d, 0), handlers.MaxRetryDelay) }
