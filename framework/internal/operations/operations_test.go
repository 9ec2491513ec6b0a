package operations

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// What both faces need of an operation is there, and each run has values of its own.
func TestTheTableIsWhole(t *testing.T) {
	t.Parallel()
	var names []string
	for _, o := range All {
		if slices.Contains(names, o.Name) {
			t.Errorf("there are two called %s", o.Name)
		}
		names = append(names, o.Name)
		one, other := o.New(), o.New()
		if o.Short == "" || len(o.Examples) == 0 || o.Role == "" || one.One == nil && one.All == nil {
			t.Errorf("%s lacks a line, an example, a role, or what it does", o.Name)
		}
		if o.CommandOnly == "" && (one.One != nil && o.Button == "" || one.All != nil && (o.ButtonAll == "" || o.Done == "")) {
			t.Errorf("%s has a form without a button, or no word for what is done", o.Name)
		}
		if o.Question != "" && strings.Count(o.Question, "%s") != 1 {
			t.Errorf("%s asks %q", o.Name, o.Question)
		}
		var args []string
		for i, a := range one.Args {
			if slices.Contains(args, a.Name) || a.Help == "" || a.To == other.Args[i].To {
				t.Errorf("%s: argument %s is there twice, has no help, or is shared by runs", o.Name, a.Name)
			}
			args = append(args, a.Name)
			if a.Initial != "" && other.Args[i].Set(a.Initial) != nil {
				t.Errorf("%s: the form begins with %s %q, which it does not take", o.Name, a.Name, a.Initial)
			}
			for _, c := range a.Choices {
				if c.Value != "" && other.Args[i].Set(c.Value) != nil {
					t.Errorf("%s: the form offers %s %q, which it does not take", o.Name, a.Name, c.Value)
				}
			}
		}
	}
}

// Values are read as people write them; what is none is an error that says what is wanted.
func TestArguments(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		to         any
		good, bad  string
		said, want string
	}{
		{new(int), "3", "x", "n 3", "a whole number"},
		{new(int64), "0", "1.5", "n 0", "a whole number"},
		{new(float64), "0.5", "much", "n 0.5", "a number"},
		{new(time.Duration), "90m", "soon", "n 1 h 30 min", "a length of time"},
		{new(time.Time), "2026-01-31T08:00:00Z", "soon", "n 2026-01-31T08:00:00.000Z", "how long from now"},
		{new([]string), "a,b", "", "n [a b]", ""},
		{new(string), "text", "", "n text", ""},
		{new(bool), "1", "", "n", ""},
	} {
		a := &Arg{Name: "n", To: row.to}
		run := &Run{Args: []*Arg{a}}
		if a.Given() || run.Given() != "" {
			t.Errorf("%T: given before it is set", row.to)
		}
		if row.bad != "" {
			if err := a.Set(row.bad); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%T of %q: %v", row.to, row.bad, err)
			}
		}
		if err := a.Set(row.good); err != nil || !a.Given() || run.Given() != row.said {
			t.Errorf("%T of %q: %q, %v", row.to, row.good, run.Given(), err)
		}
	}
}

// More time is later than a message is due, and than now: so is one that is overdue, and what is never
// due stays.
func TestLaterThanNow(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for what, row := range map[string]struct {
		by       time.Duration
		due      time.Time
		least    time.Time
		most     time.Time
		unmoving bool
	}{
		"later":     {by: time.Hour, due: now.Add(time.Hour), least: now.Add(2 * time.Hour), most: now.Add(2 * time.Hour)},
		"overdue":   {by: time.Hour, due: now.Add(-time.Hour), least: now.Add(time.Hour), most: now.Add(2 * time.Hour)},
		"earlier":   {by: -time.Hour, due: now.Add(-time.Hour), least: now.Add(-2 * time.Hour), most: now.Add(-2 * time.Hour)},
		"never due": {by: time.Hour, least: now, unmoving: true},
	} {
		to, moves := Later(row.by)(row.due)
		if moves == row.unmoving || !row.unmoving && (to.Before(row.least) || to.After(row.most)) {
			t.Errorf("%s: %v %v", what, to, moves)
		}
	}
}
