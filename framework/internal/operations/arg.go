package operations

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/words"
)

// Use says for which runs an argument is.
type Use int

// The uses.
const (
	Both  Use = iota
	OfAll     // what is done to all that are chosen
)

// Arg is an argument of an operation: a flag of its command, a field of its form.
type Arg struct {
	Name string
	Help string // a word in backquotes names the value
	To   any    // *bool, *string, *[]string, *int, *int64, *float64, *time.Duration or *time.Time, with its default
	Use  Use

	// Label names the field in the console; an argument without one is for the command line alone.
	Label   string
	Initial string // what the field holds at first
	Empty   string // what an empty field means
	Choices []Choice
	Bounds  bool // the console takes no zero, which is no bound

	given bool
}

// Choice is a value that the console offers.
type Choice struct{ Value, Text string }

// Given reports whether a value was set.
func (a *Arg) Given() bool {
	if b, is := a.To.(*bool); is {
		return *b
	}
	return a.given
}

// Set reads a value as people write it.
func (a *Arg) Set(text string) (err error) {
	what := ""
	switch to := a.To.(type) {
	case *bool:
		*to = text != ""
	case *string:
		*to = text
	case *[]string:
		*to = append(*to, strings.Split(text, ",")...)
	case *int:
		*to, err = strconv.Atoi(text)
		what = "a whole number"
	case *int64:
		*to, err = strconv.ParseInt(text, 10, 64)
		what = "a whole number"
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
		what = "a number"
	case *time.Duration:
		*to, err = time.ParseDuration(text)
		what = "a length of time such as 15m or 4h"
	case *time.Time:
		*to, err = ParseTime(text, time.Now())
		what = "a time such as 2026-01-31T08:00:00Z, or how long from now, such as 2h"
	}
	if err != nil {
		return fmt.Errorf("%q: %s", text, what)
	}
	a.given = true
	return nil
}

// ParseTime reads a time, or how long it is until then.
func ParseTime(text string, now time.Time) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		in, wrong := time.ParseDuration(text)
		return now.Add(in), wrong
	}
	return at, nil
}

// Text is its value as the command line shows a default; "" for one that means nothing.
func (a *Arg) Text() string {
	switch to := a.To.(type) {
	case *string:
		return *to
	case *int, *int64, *float64, *time.Duration:
		if v := reflect.ValueOf(to).Elem(); !v.IsZero() {
			return fmt.Sprint(v)
		}
	}
	return ""
}

// words are its name and value, for the audit.
func (a *Arg) words() string {
	switch to := a.To.(type) {
	case *bool:
		return a.Name
	case *time.Duration:
		return a.Name + " " + words.Span(*to)
	case *time.Time:
		return a.Name + " " + words.Stamp(*to)
	}
	return fmt.Sprintf("%s %v", a.Name, reflect.ValueOf(a.To).Elem())
}
