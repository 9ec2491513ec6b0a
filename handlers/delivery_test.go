package handlers_test

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/handlers"
)

func TestDeliveryTellsAboutTheMessage(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC)
	m := &handlers.Message{
		Code: "ORDER", Title: "unpaid: cancel", Codec: "kryo5",
		Identity: handlers.Identify("19b-07", "da39"),
		Body:     []byte("body"), Value: "100",
		Delivered: 4, Failed: 2, Died: 1, MaxAttempts: 3,
		DueTime: due, StartedAt: due.Add(7 * time.Millisecond),
	}
	d := handlers.NewDelivery("100", m)

	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"payload", d.Payload, "100"},
		{"message", d.Message(), m},
		{"code", d.Code(), "ORDER"},
		{"title", d.Title(), "unpaid: cancel"},
		{"id", d.ID(), "19b-07"},
		{"digest", d.Digest(), "da39"},
		{"body", string(d.Body()), "body"},
		{"attempt", d.Attempt(), 3},
		{"last attempt", d.LastAttempt(), true},
		{"delivered", d.Delivered(), 4},
		{"failed", d.Failed(), 2},
		{"redelivered", d.Redelivered(), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.got != c.want {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
	if at, ok := d.Due(); !ok || !at.Equal(due) {
		t.Errorf("due: got %v, %v", at, ok)
	}
	if late, ok := d.Lateness(); !ok || late != 7*time.Millisecond {
		t.Errorf("lateness: got %v, %v", late, ok)
	}
}

func TestZeroDeliveryKnowsNothing(t *testing.T) {
	t.Parallel()
	d := &handlers.Delivery[string]{Payload: "x"}
	if d.Code() != "" || d.Title() != "" || d.ID() != "" || d.Digest() != "" || d.Body() != nil {
		t.Error("a zero delivery claims to know something")
	}
	if d.Attempt() != 1 || d.LastAttempt() || d.Redelivered() || d.Delivered() != 0 || d.Failed() != 0 {
		t.Error("a zero delivery is not a first attempt")
	}
	if _, ok := d.Due(); ok {
		t.Error("due is known")
	}
	if _, ok := d.Lateness(); ok {
		t.Error("lateness is known")
	}
	if d.Message() == nil {
		t.Error("no message")
	}
}

func TestLateness(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_000)
	for name, c := range map[string]struct {
		due, started time.Time
		want         time.Duration
		known        bool
	}{
		"on time":       {at, at, 0, true},
		"late":          {at, at.Add(time.Second), time.Second, true},
		"early":         {at, at.Add(-time.Second), -time.Second, true},
		"due unknown":   {time.Time{}, at, 0, false},
		"start unknown": {at, time.Time{}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := handlers.Message{DueTime: c.due, StartedAt: c.started}
			if got, ok := m.Lateness(); got != c.want || ok != c.known {
				t.Errorf("got %v, %v; want %v, %v", got, ok, c.want, c.known)
			}
			if m.TooLate() {
				t.Error("too late without a limit")
			}
			m.MaxLateness = time.Second - 1
			if got := handlers.NewDelivery("", &m).TooLate(); got != (c.want == time.Second) {
				t.Errorf("too late: %v", got)
			}
			if m.DueGuessed = true; m.TooLate() {
				t.Error("too late by a guess")
			}
		})
	}
}

func TestAttempts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		m           handlers.Message
		attempt     int
		last, again bool
	}{
		"first of five":     {handlers.Message{MaxAttempts: 5}, 1, false, false},
		"first of one":      {handlers.Message{MaxAttempts: 1}, 1, true, false},
		"last of five":      {handlers.Message{MaxAttempts: 5, Failed: 4, Delivered: 4}, 5, true, true},
		"past the last":     {handlers.Message{MaxAttempts: 5, Failed: 9}, 10, true, true},
		"limit unknown":     {handlers.Message{Failed: 9}, 10, false, true},
		"only handed out":   {handlers.Message{MaxAttempts: 5, Delivered: 1}, 1, false, true},
		"its process died":  {handlers.Message{MaxAttempts: 5, Died: 1}, 1, false, true},
		"nothing is known":  {handlers.Message{}, 1, false, false},
		"released 10 times": {handlers.Message{MaxAttempts: 2, Delivered: 10}, 1, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.m.Attempt(); got != c.attempt {
				t.Errorf("attempt %d, want %d", got, c.attempt)
			}
			if got := c.m.LastAttempt(); got != c.last {
				t.Errorf("last attempt %v, want %v", got, c.last)
			}
			if got := c.m.Redelivered(); got != c.again {
				t.Errorf("redelivered %v, want %v", got, c.again)
			}
		})
	}
}
