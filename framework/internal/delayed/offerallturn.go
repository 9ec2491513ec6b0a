package delayed

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// offerAllScript adds many elements; see lua/offerall.lua.
var offerAllScript = library.Script("offerall")

// bulkTurn is one try for the open items of a batch: scripts of up to 200 for those
// without a key that have the same age, and one each for the others.
type bulkTurn struct {
	keys  *wire.Keys
	of    [][]*bulkItem // by call
	calls []script.Call // those of items with a key are made when they are sent
}

// newBulkTurn makes the calls, while the batch before is still on its way.
func newBulkTurn(keys *wire.Keys, open []*bulkItem) *bulkTurn {
	t := &bulkTurn{keys: keys}
	ages := map[time.Time]int{} // of those without a key, by the first try that may have been executed
	for _, i := range open {
		if i.offer.args.Dedup.Key != "" {
			t.of = append(t.of, []*bulkItem{i})
			continue
		}
		at, ok := ages[i.offer.firstSent]
		if !ok || len(t.of[at]) == allItems {
			at = len(t.of)
			ages[i.offer.firstSent] = at
			t.of = append(t.of, make([]*bulkItem, 0, min(len(open), allItems)))
		}
		t.of[at] = append(t.of[at], i)
	}
	t.calls = make([]script.Call, len(t.of))
	for at, items := range t.of {
		if !t.keyed(at) {
			t.calls[at] = allCall(keys, items)
		}
	}
	return t
}

func (t *bulkTurn) keyed(at int) bool { return t.of[at][0].offer.args.Dedup.Key != "" }

// allCall returns the call for items of one age.
func allCall(keys *wire.Keys, items []*bulkItem) script.Call {
	head := &items[0].offer
	args := append(make([]any, 0, 9+len(items)),
		head.age(time.Now()), head.args.Trace, head.args.TraceTTL.Milliseconds(), head.args.View.listed(), growing(items), 0)
	runs := 0
	for n := 0; n < len(items); runs++ {
		first := &items[n].offer
		length := 1
		for n+length < len(items) && items[n+length].offer.dueWith(first) {
			length++
		}
		args = append(args, first.mode, first.ms, length)
		n += length
	}
	args[5] = runs
	for _, i := range items {
		args = append(args, i.offer.element)
	}
	return script.Call{
		Script: offerAllScript, Keys: []string{keys.Timeout, keys.Pending, keys.Channel, keys.Queue, keys.Trace, keys.Attempts}, Args: args,
	}
}

// dueWith reports whether both say the same of when they are due.
func (o *offer) dueWith(other *offer) bool { return o.ms == other.ms && o.mode == other.mode }

// growing returns "1" where each id is larger than the one before: not where one was
// drawn again.
func growing(items []*bulkItem) string {
	for n := 1; n < len(items); n++ {
		if bytes.Compare(items[n-1].offer.id.Raw[:], items[n].offer.id.Raw[:]) >= 0 {
			return ""
		}
	}
	return "1"
}

// send makes the try and settles what it can. It waits for replicas on the same
// connection. It calls pass as soon as it knows that nothing has to be sent again.
func (t *bulkTurn) send(ctx context.Context, rdb script.Pipelined, pass func()) {
	await := t.of[0][0].offer.args.Await
	rdb, conn := await.connection(rdb)
	if conn != nil {
		defer func() { _ = conn.Close() }()
	}
	began := time.Now() // one for all, so that they have one age later
	for at, items := range t.of {
		if t.keyed(at) {
			t.calls[at] = items[0].offer.next()
			continue
		}
		for _, i := range items {
			i.offer.tries++
			i.offer.began = began
		}
	}
	replies := script.RunAll(ctx, rdb, t.calls)
	if await.Replicas <= 0 && t.final(replies) {
		pass()
	}
	for at, reply := range replies {
		if t.keyed(at) {
			i := t.of[at][0]
			i.offer.elsewhere(reply.Err)
			i.settle(i.offer.settle(reply.Value, reply.Err))
			continue
		}
		settleAll(t.of[at], reply)
	}
	if await.Replicas > 0 {
		t.await(func(wrote bool) error { return await.wait(ctx, conn, *t.keys, wrote) })
	}
}

// final reports whether every message was answered, and none was refused its id.
func (t *bulkTurn) final(replies []script.Reply) bool {
	for at, reply := range replies {
		r := script.NewReader(t.calls[at].Script, reply.Value)
		var status string
		if t.keyed(at) {
			status = r.Text()
		} else {
			_, _, status = r.Micros(), r.Integer(), r.Text()
		}
		if reply.Err != nil || r.Err() != nil || status == "taken" || !t.keyed(at) && strings.Contains(status, "t") {
			return false
		}
	}
	return true
}

// await waits for the replicas of what is in.
func (t *bulkTurn) await(wait func(wrote bool) error) {
	var in []*bulkItem
	wrote := false
	for _, items := range t.of {
		for _, i := range items {
			if i.settled && i.err == nil {
				in, wrote = append(in, i), wrote || i.result.wrote()
			}
		}
	}
	if len(in) == 0 {
		return
	}
	if err := wait(wrote); err != nil {
		for _, i := range in {
			i.err = err
		}
	}
}

var allStatus = map[byte]string{'+': "added", 'p': "pending", 't': "taken", 'u': "unknown", 'r': "range"}

// settleAll hands the reply of one script to its items.
func settleAll(items []*bulkItem, reply script.Reply) {
	fail := func(err error) {
		for _, i := range items {
			i.offer.elsewhere(err)
			i.settle(i.offer.settle(nil, err))
		}
	}
	if reply.Err != nil {
		fail(reply.Err)
		return
	}
	r := script.NewReader(offerAllScript, reply.Value)
	nowUs, head, statuses := r.Micros(), r.Integer(), r.Text()
	dues, scores, origins := r.Array(), r.Array(), r.Array()
	due, origin := make([]int64, len(items)), make([]int64, len(items))
	run := int64(0)
	for n, i := range items {
		if n == 0 || !i.offer.dueWith(&items[n-1].offer) {
			run = dues.Integer()
		}
		due[n], origin[n] = run, run
		if n < len(statuses) && statuses[n] == 'p' {
			due[n], origin[n] = scores.Integer(), origins.Integer()
		}
	}
	err := r.Err()
	unread := func(l *script.Reader) bool { return l.Err() != nil || l.More() }
	if err == nil && (len(statuses) != len(items) || unread(dues) || unread(scores) || unread(origins)) {
		err = r.Unexpected("not one status and due time for each message: " + strconv.Quote(statuses))
	}
	if err != nil {
		fail(err)
		return
	}
	for n, i := range items {
		i.offer.moving = false
		result, err := i.offer.outcome(allStatus[statuses[n]], i.offer.id, due[n], origin[n], nowUs)
		// One of them is the head; which one does not matter to anybody.
		result.Head = err == nil && n == 0 && head == 1
		i.settle(result, err)
	}
}
