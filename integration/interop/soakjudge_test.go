package interop_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/registry"
)

// TestSoakLedger: the ledger finds what cannot be, and accepts what can.
func TestSoakLedger(t *testing.T) {
	t.Parallel()
	queues := []soakQueue{
		{Name: "q"}, {Name: "keyed", Keyed: true}, {Name: "cleared", View: registry.ViewExact, Cleared: true},
	}
	// Times are in ms here.
	at := func(op soakOp, from, to int64, change func(*soakEvent)) soakEvent {
		e := soakEvent{Who: "w", Op: op, Queue: "q", Payload: "m", From: from * 1000, To: to * 1000}
		if change != nil {
			change(&e)
		}
		return e
	}
	offer := at(soakOffer, 10, 11, func(e *soakEvent) { e.Due, e.Element = 100, "e" })
	handled := at(soakHandled, 110, 111, nil)
	in := func(queue string) func(*soakEvent) {
		return func(e *soakEvent) { e.Queue, e.Due, e.Element, e.Key = queue, 100, "e", "k" }
	}
	cleared := func(n int64) soakEvent {
		return at(soakCleared, 50, 51, func(e *soakEvent) { e.Queue, e.N = "cleared", n })
	}
	replacing := at(soakOffer, 20, 21, func(e *soakEvent) {
		e.Queue, e.Payload, e.Element, e.Key, e.Out, e.Due = "keyed", "second", "f", "k", "replaced", 100
	})
	second := at(soakHandled, 120, 121, func(e *soakEvent) { e.Queue, e.Payload = "keyed", "second" })
	size := func(n int64) soakEvent { return at(soakSize, 30, 31, func(e *soakEvent) { e.N = n }) }
	listed := func(all ...string) soakEvent { return at(soakListed, 30, 31, func(e *soakEvent) { e.All = all }) }
	forbidden, failed := at(soakForbidden, 104, 106, nil), at(soakFailed, 103, 109, nil)
	redriven := at(soakRedriven, 110, 111, func(e *soakEvent) { e.N = 1 })
	moved := at(soakRescheduled, 15, 16, func(e *soakEvent) { e.Due = 90 })
	for name, c := range map[string]struct {
		events []soakEvent
		want   string // of the only problem; none where empty
	}{
		"handled once":            {[]soakEvent{offer, handled}, ""},
		"lost":                    {[]soakEvent{offer}, "lost"},
		"twice":                   {[]soakEvent{offer, handled, at(soakTaken, 105, 106, nil)}, "left 2 times"},
		"cancelled and handled":   {[]soakEvent{offer, at(soakCancelled, 50, 51, nil), handled}, "left 2 times"},
		"early":                   {[]soakEvent{offer, at(soakHandled, 90, 91, nil)}, "10 ms early"},
		"early, rescheduled":      {[]soakEvent{offer, moved, at(soakHandled, 90, 91, nil)}, ""},
		"never offered":           {[]soakEvent{handled}, "nobody offered"},
		"of another queue":        {[]soakEvent{offer, at(soakHandled, 110, 111, in("keyed")), handled}, "nobody offered"},
		"offered twice":           {[]soakEvent{offer, offer, handled}, "offered twice"},
		"gone though pending":     {[]soakEvent{offer, at(soakGone, 50, 51, nil), handled}, "called gone"},
		"gone when due":           {[]soakEvent{offer, at(soakGone, 98, 100, nil), handled}, ""},
		"gone with an old id":     {[]soakEvent{offer, moved, at(soakGone, 20, 21, nil), handled}, ""},
		"gone beside a removal":   {[]soakEvent{offer, at(soakGone, 50, 55, nil), at(soakRemoved, 53, 58, nil)}, ""},
		"found after its end":     {[]soakEvent{offer, handled, at(soakHolds, 112, 113, nil)}, "found, and was not there"},
		"found before its end":    {[]soakEvent{offer, handled, at(soakHolds, 105, 111, nil)}, ""},
		"not found though there":  {[]soakEvent{offer, handled, at(soakLacks, 50, 51, nil)}, "not found"},
		"not found before":        {[]soakEvent{offer, handled, at(soakLacks, 9, 12, nil)}, ""},
		"ready before due":        {[]soakEvent{offer, handled, at(soakReadyHas, 50, 51, nil)}, "ready before it was due"},
		"empty though there":      {[]soakEvent{offer, handled, at(soakEmpty, 50, 51, nil)}, "empty while"},
		"too small":               {[]soakEvent{offer, handled, size(0)}, "a size out of 1 to 1"},
		"too big":                 {[]soakEvent{offer, handled, size(2)}, "a size out of 1 to 1"},
		"sized":                   {[]soakEvent{offer, handled, size(1)}, ""},
		"not listed":              {[]soakEvent{offer, handled, listed()}, "not listed"},
		"listed":                  {[]soakEvent{offer, handled, listed("m")}, ""},
		"listed twice":            {[]soakEvent{offer, handled, listed("m", "m")}, "listed twice"},
		"rejected, not redriven":  {[]soakEvent{offer, at(soakRejected, 101, 102, nil), handled}, "-1 messages were put back"},
		"rejected and redriven":   {[]soakEvent{offer, at(soakRejected, 101, 102, nil), at(soakRedriven, 103, 104, func(e *soakEvent) { e.N = 1 }), handled}, ""},
		"cancelled in flight":     {[]soakEvent{offer, forbidden, failed}, ""},
		"and without a trace":     {[]soakEvent{offer, forbidden}, ""},
		"and handled":             {[]soakEvent{offer, forbidden, handled}, ""},
		"and begun afterwards":    {[]soakEvent{offer, forbidden, at(soakFailed, 108, 110, nil)}, ""},
		"and tried again":         {[]soakEvent{offer, forbidden, failed, at(soakFailed, 112, 113, nil)}, "came again"},
		"and handled later":       {[]soakEvent{offer, forbidden, failed, at(soakHandled, 112, 113, nil)}, "came again"},
		"and found":               {[]soakEvent{offer, forbidden, at(soakHolds, 112, 113, nil)}, "found, and was not there"},
		"and rejected":            {[]soakEvent{offer, forbidden, at(soakRejected, 103, 109, nil)}, ""},
		"and buried":              {[]soakEvent{offer, forbidden, at(soakRejected, 103, 109, nil), redriven}, "+1 messages were put back"},
		"and buried before":       {[]soakEvent{offer, at(soakRejected, 101, 102, nil), redriven, forbidden}, ""},
		"and rejected before":     {[]soakEvent{offer, at(soakRejected, 101, 103, nil), forbidden}, ""},
		"cleared":                 {[]soakEvent{at(soakOffer, 10, 11, in("cleared")), cleared(1)}, ""},
		"cleared one too many":    {[]soakEvent{at(soakOffer, 10, 11, in("cleared")), cleared(2)}, "+1 messages were cleared"},
		"cleared and lost":        {[]soakEvent{at(soakOffer, 10, 11, in("cleared")), cleared(0)}, "-1 messages were cleared"},
		"replaced":                {[]soakEvent{at(soakOffer, 10, 11, in("keyed")), replacing, second}, ""},
		"replaced and handled":    {[]soakEvent{at(soakOffer, 10, 11, in("keyed")), replacing, second, at(soakHandled, 110, 111, in("keyed"))}, "+1 messages were replaced"},
		"keyed and lost":          {[]soakEvent{at(soakOffer, 10, 11, in("keyed"))}, "-1 messages were replaced"},
		"kept out, and handled":   {[]soakEvent{at(soakOffer, 10, 11, func(e *soakEvent) { in("keyed")(e); e.Payload = "first" }), at(soakCancelKey, 90, 91, in("keyed")), at(soakOffer, 20, 21, func(e *soakEvent) { in("keyed")(e); e.Out = "kept" }), at(soakHandled, 110, 111, in("keyed"))}, "nobody offered"},
		"kept by another's key":   {[]soakEvent{at(soakOffer, 20, 21, func(e *soakEvent) { in("keyed")(e); e.Out = "kept" })}, "holder of the key"},
		"an error without reason": {[]soakEvent{at(soakTrouble, 1, 2, func(e *soakEvent) { e.Out = "boom" })}, "boom"},
	} {
		l := newSoakLedger(queues)
		for _, e := range c.events {
			l.add(e)
		}
		problems := l.judge()
		switch {
		case c.want == "" && len(problems) == 0:
		case c.want != "" && len(problems) == 1 && strings.Contains(problems[0], c.want):
		default:
			t.Errorf("%s: %q, want %q alone", name, problems, c.want)
		}
	}
}
