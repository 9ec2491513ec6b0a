package registry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/handlers"
	"github.com/duequeue/duequeue/registry"
)

// smtpError is a type to be matched; claims says that it is other errors.
type smtpError struct{ code int }

func (e *smtpError) Error() string { return fmt.Sprint("smtp ", e.code) }

type claims struct{}

func (claims) Error() string        { return "claims" }
func (claims) Is(target error) bool { return target == io.ErrNoProgress }
func (claims) As(target any) bool {
	if p, ok := target.(**smtpError); ok {
		*p = &smtpError{421}
		return true
	}
	return false
}

// hostile panics wherever it is asked.
type hostile struct{ _ []int }

func (hostile) Error() string   { panic("no text") }
func (hostile) Is(error) bool   { panic("no comparison") }
func (hostile) As(any) bool     { panic("no conversion") }
func (hostile) Unwrap() error   { panic("nothing inside") }
func (hostile) Transient() bool { panic("no mark") }

// ring wraps itself.
type ring struct{}

func (ring) Error() string { return "ring" }
func (ring) Unwrap() error { return ring{} }

func wrapped(err error) error {
	return fmt.Errorf("load: %w", errors.Join(io.EOF, fmt.Errorf("query: %w", err)))
}

var ruled = registry.Define[string]("RULED", "", registry.Codec(fake),
	registry.On(registry.ErrorIs(os.ErrNotExist), registry.DeadLetter("no such order")),
	registry.On(registry.ErrorAs[*smtpError](), registry.Attempts(20), registry.BackoffOf(registry.Steps(time.Minute, time.Hour))),
	registry.On(registry.ErrorIs(io.ErrNoProgress), registry.Transient()),
	registry.On(registry.ErrorIs(handlers.ErrTimeout), registry.Attempts(2)),
	registry.On(registry.ErrorWhere("conflict", func(err error) bool { return strings.Contains(err.Error(), "409") }),
		registry.IgnoreBreaker(), registry.Attempts(registry.Unlimited)),
	registry.On(registry.ErrorAs[net.Error](), registry.DeadLetter("")),
)

func TestRules(t *testing.T) {
	t.Parallel()
	if err := ruled.Err(); err != nil {
		t.Fatal(err)
	}
	untouched := handlers.Outcome{Kind: handlers.Retried, Delay: handlers.ByPolicy, CountsForBreaker: true}
	mail := untouched
	mail.MaxAttempts, mail.Delay = 20, time.Minute
	world := untouched
	world.Transient = true
	timeout := untouched
	timeout.MaxAttempts = 2
	conflict := handlers.Outcome{Kind: handlers.Retried, Delay: handlers.ByPolicy, MaxAttempts: registry.Unlimited}
	dead := func(reason string) handlers.Outcome {
		return handlers.Outcome{Kind: handlers.Rejected, Reason: reason}
	}
	later := mail
	later.Delay = 5 * time.Second
	for name, c := range map[string]struct {
		err    error
		failed int
		want   handlers.Outcome
	}{
		"no rule":                   {io.EOF, 0, untouched},
		"is":                        {os.ErrNotExist, 0, dead("no such order: file does not exist")},
		"is, deep inside":           {wrapped(os.ErrNotExist), 0, dead("no such order: load: EOF\nquery: file does not exist")},
		"as":                        {&smtpError{450}, 0, mail},
		"as, deep inside":           {wrapped(&smtpError{450}), 0, mail},
		"the schedule goes on":      {&smtpError{450}, 1, func() handlers.Outcome { o := mail; o.Delay = time.Hour; return o }()},
		"as of an interface":        {wrapped(&net.DNSError{Err: "no such host"}), 0, dead("load: EOF\nquery: lookup : no such host")},
		"an As method":              {claims{}, 0, mail},
		"the first rule wins":       {errors.Join(io.ErrNoProgress, &smtpError{450}), 0, mail},
		"transient":                 {wrapped(io.ErrNoProgress), 0, world},
		"timeout":                   {&handlers.TimeoutError{Err: io.EOF}, 0, timeout},
		"where":                     {errors.New("status 409"), 3, conflict},
		"retry keeps its kind":      {handlers.Retry(os.ErrNotExist), 0, untouched},
		"retry gets the attempts":   {handlers.Retry(&smtpError{450}), 0, mail},
		"retry after: its own time": {handlers.RetryAfter(5*time.Second, &smtpError{450}), 0, later},
		"rejected stays rejected":   {handlers.Reject("why", &smtpError{450}), 0, dead("why")},
		"permanent stays so":        {handlers.Permanent(&smtpError{450}), 0, dead("smtp 450")},
		"a panic with the error":    {&handlers.PanicError{Value: os.ErrNotExist}, 0, dead("no such order: panic: file does not exist")},
		"success":                   {nil, 0, handlers.Outcome{}},
		"interrupted":               {handlers.ErrDraining, 0, handlers.Outcome{Kind: handlers.Released}},
		"wraps itself":              {ring{}, 0, untouched},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ruled.Policy().Judge(handlers.Classify(c.err), c.failed, c.failed)
			if got.Err != c.err { //nolint:errorlint // the very value is meant
				t.Errorf("error %v, want %v", got.Err, c.err)
			}
			got.Err = nil
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestErrorsWhoseMethodsPanicMeetNoRule(t *testing.T) {
	t.Parallel()
	p := ruled.Policy()
	o := handlers.Outcome{Kind: handlers.Retried, Delay: handlers.ByPolicy, Err: hostile{}}
	if got := p.Judge(o, 0, 0); got.Kind != handlers.Retried || got.MaxAttempts != 0 {
		t.Errorf("got %+v, want a retry within the limit of the queue", got)
	}
	if _, ok := p.RuleFor(wrapped(hostile{})); ok {
		t.Error("met")
	}
	all := registry.Define[string]("ALL", "", registry.Codec(fake), registry.On(registry.ErrorAs[error](), registry.DeadLetter("gone")))
	if got := all.Policy().Judge(o, 0, 0); got.Reason != "gone: registry_test.hostile (its Error method panics)" {
		t.Errorf("got %q, want the type of the error", got.Reason)
	}
}

func TestRulesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	want := []string{
		`On(ErrorIs("file does not exist"), DeadLetter("no such order"))`,
		`On(ErrorAs[*registry_test.smtpError](), Attempts(20), BackoffOf(Steps(1m0s, 1h0m0s)))`,
		`On(ErrorIs("multiple Read calls return no data or error"), Transient())`,
		`On(ErrorIs("the handler's time is used up"), Attempts(2))`,
		`On(ErrorWhere("conflict"), IgnoreBreaker(), Attempts(2147483647))`,
		`On(ErrorAs[net.Error](), DeadLetter(""))`,
	}
	got := ruled.Policy().Rules()
	if len(got) != len(want) {
		t.Fatalf("%d rules", len(got))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got  %s\nwant %s", got[i], want[i])
		}
	}
	r, ok := ruled.Policy().RuleFor(wrapped(&smtpError{450}))
	if !ok || r.String() != want[1] {
		t.Errorf("rule %v, %v", r, ok)
	}
	if o := registry.On(registry.ErrorIs(io.EOF), registry.Attempts(3)); o.String() != `On(ErrorIs("EOF"), Attempts(3))` {
		t.Error(o)
	}
	if _, ok := ruled.Policy().RuleFor(nil); ok {
		t.Error("a rule for success")
	}
}

func TestRuleMistakesAreFoundTogether(t *testing.T) {
	t.Parallel()
	var none *smtpError
	rule := func(m registry.ErrorMatch, as ...registry.Action) []registry.Option {
		return []registry.Option{registry.On(m, as...)}
	}
	eof := registry.ErrorIs(io.EOF)
	dead := registry.DeadLetter("x")
	for name, c := range map[string]struct {
		opts    []registry.Option
		reasons []string
	}{
		"no match":           {rule(registry.ErrorMatch{}, dead), []string{"an empty ErrorMatch: use registry.ErrorIs, ErrorAs or ErrorWhere"}},
		"nil error":          {rule(registry.ErrorIs(nil), dead), []string{"the error must not be nil"}},
		"typed nil error":    {rule(registry.ErrorIs(none), dead), []string{"the error must not be nil"}},
		"nil function":       {rule(registry.ErrorWhere("x", nil), dead), []string{"the function must not be nil"}},
		"no action":          {rule(eof), []string{"it says which errors, and not what becomes of them: add an action, such as registry.DeadLetter"}},
		"empty action":       {rule(eof, registry.Action{}), []string{"an empty Action: use one of the functions that make them"}},
		"all at once":        {rule(registry.ErrorIs(nil), registry.Attempts(0), registry.BackoffOf(nil)), []string{"the error must not be nil", "Attempts(0): must be at least 1; use registry.Unlimited for retries without end", "BackoffOf(nil): the schedule must not be nil"}},
		"bad schedule":       {rule(eof, registry.BackoffOf(registry.Exponential(2, 1))), []string{"BackoffOf(Exponential(2ns, 1ns)): the limit must not be below the base"}},
		"twice the same":     {rule(eof, registry.Attempts(1), registry.Attempts(2)), []string{"Attempts(2) is given twice: which one counts?"}},
		"dead and retried":   {rule(eof, dead, registry.Attempts(2)), []string{"a message that goes to the dead store at once is not retried: leave the other actions out"}},
		"counted and not":    {rule(eof, registry.Transient(), registry.IgnoreBreaker()), []string{"what is transient is for the breaker to count: leave one of both out"}},
		"the same error":     {append(rule(eof, dead), rule(eof, registry.Attempts(1))...), []string{`never reached: On(ErrorIs("EOF"), DeadLetter("x")) comes before it and matches the same errors`}},
		"the same type":      {append(rule(registry.ErrorAs[*smtpError](), dead), rule(registry.ErrorAs[*smtpError](), dead)...), []string{`never reached: On(ErrorAs[*registry_test.smtpError](), DeadLetter("x")) comes before it and matches the same errors`}},
		"interface first":    {append(rule(registry.ErrorAs[net.Error](), dead), rule(registry.ErrorAs[*net.OpError](), dead)...), []string{`never reached: On(ErrorAs[net.Error](), DeadLetter("x")) comes before it and matches the same errors`}},
		"after all errors":   {append(rule(registry.ErrorAs[error](), dead), rule(registry.ErrorWhere("w", func(error) bool { return true }), dead)...), []string{`never reached: On(ErrorAs[error](), DeadLetter("x")) comes before it and matches the same errors`}},
		"type, then value":   {append(rule(registry.ErrorAs[*smtpError](), dead), rule(registry.ErrorIs(&smtpError{1}), dead)...), nil},
		"interface last":     {append(rule(registry.ErrorAs[*net.OpError](), dead), rule(registry.ErrorAs[net.Error](), dead)...), nil},
		"incomparable twice": {append(rule(registry.ErrorIs(hostile{}), dead), rule(registry.ErrorIs(hostile{}), dead)...), nil},
		"others":             {append(rule(eof, dead), rule(registry.ErrorIs(context.Canceled), dead)...), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := each(err[any]("A", "", append(c.opts, registry.Codec(fake))...))
			if len(all) != len(c.reasons) {
				t.Fatalf("got %v, want %q", all, c.reasons)
			}
			for i, e := range all {
				var oe *registry.OptionError
				if !errors.As(e, &oe) || oe.Reason != c.reasons[i] || !strings.HasPrefix(oe.Option, "On(") || !strings.Contains(oe.Declared, "define_test.go:") {
					t.Errorf("got  %+v\nwant %s", oe, c.reasons[i])
				}
			}
		})
	}
}

func TestNoDelayIsLongerThanTheLongest(t *testing.T) {
	t.Parallel()
	long := registry.ScheduleFunc(func(attempt int, _ float64) time.Duration {
		if attempt > 100 {
			return 1 << 62
		}
		return time.Second
	})
	q := registry.Define[string]("LONG", "", registry.Codec(fake), registry.Backoff(long),
		registry.On(registry.ErrorIs(io.EOF), registry.BackoffOf(long)))
	p := q.Policy()
	if d := p.RetryDelay(1000); d != handlers.MaxRetryDelay || q.Err() != nil {
		t.Errorf("policy: %v %v", d, q.Err())
	}
	if o := p.Judge(handlers.Classify(io.EOF), 1000, 0); o.Delay != handlers.MaxRetryDelay {
		t.Errorf("rule: %v", o.Delay)
	}
	for _, s := range []registry.Schedule{
		registry.Exponential(time.Second, handlers.MaxRetryDelay+1), registry.Steps(0, handlers.MaxRetryDelay+1),
	} {
		if e := err[string]("A", "", registry.Codec(fake), registry.Backoff(s)); e == nil || !strings.Contains(e.Error(), "no message waits longer than 720h0m0s for its retry") {
			t.Errorf("%v: %v", s, e)
		}
	}
}

func TestMaxLateness(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opts   []registry.Option
		option string
		reason string
	}{
		"expire":        {[]registry.Option{registry.MaxLateness(time.Hour, registry.Expire)}, "MaxLateness(1h0m0s, Expire)", ""},
		"deliver":       {[]registry.Option{registry.MaxLateness(time.Hour, registry.Deliver)}, "MaxLateness(1h0m0s, Deliver)", ""},
		"zero":          {[]registry.Option{registry.MaxLateness(0, registry.Expire)}, "MaxLateness(0s, Expire)", "must be at least 1ms"},
		"unitless":      {[]registry.Option{registry.MaxLateness(30, registry.Expire)}, "MaxLateness(30ns, Expire)", "must be at least 1ms"},
		"no action":     {[]registry.Option{registry.MaxLateness(time.Hour, 7)}, "MaxLateness(1h0m0s, LateAction(7))", "there is no such action"},
		"age":           {[]registry.Option{registry.MaxAge(time.Hour)}, "MaxAge(1h0m0s)", ""},
		"no age":        {[]registry.Option{registry.MaxAge(0)}, "MaxAge(0s)", "must be at least 1ms"},
		"age unknown":   {[]registry.Option{registry.MaxAge(time.Hour), registry.DueTracking(false)}, "MaxAge(1h0m0s)", "age is not known without due tracking: leave DueTracking(false) out"},
		"nothing known": {[]registry.Option{registry.MaxLateness(time.Hour, registry.Expire), registry.DueTracking(false)}, "MaxLateness(1h0m0s, Expire)", "lateness is not known without due tracking: leave DueTracking(false) out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.opts[0].String(); got != c.option {
				t.Errorf("says %s", got)
			}
			q := registry.Define[string]("A", "", append(c.opts, registry.Codec(fake))...)
			var oe *registry.OptionError
			switch {
			case c.reason == "":
				if p := q.Policy(); q.Err() != nil || p.MaxLateness+p.MaxAge != time.Hour || (p.Late == registry.Deliver) != (name == "deliver") {
					t.Errorf("%+v, %v; want the bound of an hour", p, q.Err())
				}
			case !errors.As(q.Err(), &oe) || oe.Reason != c.reason || oe.Option != c.option:
				t.Errorf("got %v, want %s: %s", q.Err(), c.option, c.reason)
			}
		})
	}
}
