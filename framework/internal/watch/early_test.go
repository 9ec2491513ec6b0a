package watch

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// Only what nothing else explains counts as early.
func TestEarly(t *testing.T) {
	t.Parallel()
	const minute = 60_000
	look := func(at, next, ready int64, moved int) delayed.TransferResult {
		return delayed.TransferResult{NowUs: at * 1000, NextDueMs: next, Ready: ready, Moved: moved}
	}
	idle := look(0, -1, 0, 0)
	for name, row := range map[string]struct {
		first     delayed.TransferResult
		announced int64 // after it
		unknown   int64 // at 100 ms
		then      delayed.TransferResult
		hint      int64 // announced while that look was under way
		want      int64
		late      int64 // announced behind the messages
	}{
		"announced, and moved at once":       {idle, 4 * minute, 3, look(5000, -1, 0, 0), -1, 3, 0},
		"seen, and moved":                    {look(0, 4*minute, 0, 0), -1, 1, look(5000, 9*minute, 0, 0), -1, 1, 0},
		"pushed: the first is still there":   {look(0, 4*minute, 0, 0), -1, 1, look(5000, 4*minute, 0, 0), -1, 0, 0},
		"pushed: an earlier one came":        {look(0, 4*minute, 0, 0), -1, 1, look(5000, 3*minute, 0, 0), -1, 0, 0},
		"cancelled, and nothing came":        {look(0, 4*minute, 0, 0), -1, 0, look(5000, -1, 0, 0), -1, 0, 0},
		"nothing was known to be pending":    {idle, -1, 5, look(5000, -1, 0, 0), -1, 0, 0},
		"it was ready before":                {look(0, 4*minute, 2, 0), -1, 1, look(5000, -1, 0, 0), -1, 0, 0},
		"a transfer had just moved some":     {look(0, 4*minute, 0, 1), -1, 1, look(5000, -1, 0, 0), -1, 0, 0},
		"due in a moment":                    {idle, 600, 1, look(700, -1, 0, 0), -1, 0, 0},
		"due meanwhile":                      {idle, 3000, 1, look(5000, -1, 0, 0), -1, 0, 0},
		"announced behind the message":       {idle, -1, 1, look(5000, -1, 0, 0), -1, 1, 4 * minute},
		"an announcement of what is to come": {idle, -1, 1, look(5000, -1, 0, 0), 4 * minute, 0, 0},
	} {
		var e Early
		e.looked(row.first, -1)
		if row.announced >= 0 {
			e.announced(row.announced)
		}
		e.Took(100, row.unknown, 0, 0)
		if row.late > 0 {
			e.announced(row.late)
		}
		e.looks()
		if row.hint >= 0 {
			e.announced(row.hint)
		}
		if got := e.looked(row.then, row.hint); got != row.want || e.Count().Messages != row.want {
			t.Errorf("%s: %d early, %+v", name, got, e.Count())
		}
		if by := e.Count().By; row.want > 0 && by != 4*time.Minute-100*time.Millisecond {
			t.Errorf("%s: by %v", name, by)
		}
	}
}

// What a record knows of needs no look.
func TestEarlyByItsRecord(t *testing.T) {
	t.Parallel()
	var e Early
	by, early := IsEarly(120_000, 60_000)
	if _, rounded := IsEarly(60_900, 60_000); !early || rounded {
		t.Error(early, rounded)
	}
	if n := e.Took(60_000, 0, 2, by); n != 2 || e.Count().By != time.Minute {
		t.Errorf("%d, %+v", n, e.Count())
	}
}
