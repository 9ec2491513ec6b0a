package delayed

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// item is one message of a turn.
type item struct {
	offer    offer
	redraws  int
	apart    bool // it goes without messages that have a key, and alone where it has one
	settled  bool
	result   OfferResult
	err      error
	retrying bool // it failed in a way that may go away
}

// settle takes what one try gave: the item is settled, or will be sent again.
func (i *item) settle(result OfferResult, err error) {
	i.retrying = false
	switch {
	case err == nil:
		i.result, i.settled = result, true
	case errors.Is(err, errApart) && !i.apart:
		i.offer.tries--
		i.apart = true
	case errors.Is(err, errTaken) && i.redraws < offerRedraws:
		i.redraws++
		i.offer.redraw()
	case i.offer.retryable(err):
		i.retrying = true
	default:
		i.end(err)
	}
}

// fail ends an item whose try has panicked: it may have been sent.
func (i *item) fail(err error) {
	if !i.settled {
		i.offer.unknown = true
		i.end(err)
	}
}

func (i *item) end(err error) { i.err, i.settled = i.offer.failure(err), true }

// turn is one try for several items, in scripts of up to 200 that have the same age. What its
// first item says of replicas, traces and view holds for all.
type turn struct {
	keys  *wire.Keys
	of    [][]*item // by call
	calls []script.Call
}

// newTurn makes the calls, while another turn may still be on its way. A script has each key
// once; a key that several of a turn have makes each of them go alone, one after the other.
func newTurn(keys *wire.Keys, open []*item) *turn {
	t := &turn{keys: keys}
	with := timesOfKeys(open)
	var room []int // calls that are not full, one for each age; the last one used last
	for _, i := range open {
		if a := &i.offer.args; with[a.Dedup.Key] > 1 || with[a.Nonce.Text] > 1 || i.apart && a.Home() != "" {
			t.of = append(t.of, []*item{i})
			continue
		}
		n := len(room) - 1
		for n >= 0 && !t.of[room[n]][0].goesWith(i) {
			n--
		}
		if n < 0 {
			n = len(room)
			room = append(room, len(t.of))
			t.of = append(t.of, make([]*item, 0, min(len(open), allItems)))
		}
		at := room[n]
		t.of[at] = append(t.of[at], i)
		room = append(room[:n], room[n+1:]...)
		if len(t.of[at]) < allItems {
			room = append(room, at)
		}
	}
	t.calls = make([]script.Call, len(t.of))
	for at, items := range t.of {
		t.calls[at] = offerCall(keys, items)
	}
	return t
}

// timesOfKeys returns how many items have each key or nonce.
func timesOfKeys(items []*item) map[string]int {
	var times map[string]int
	for _, i := range items {
		for _, name := range [...]string{i.offer.args.Dedup.Key, i.offer.args.Nonce.Text} {
			if name == "" {
				continue
			}
			if times == nil {
				times = make(map[string]int, len(items))
			}
			times[name]++
		}
	}
	return times
}

// goesWith reports whether two items may be in one script.
func (i *item) goesWith(other *item) bool {
	return i.apart == other.apart && i.offer.firstSent.Equal(other.offer.firstSent)
}

// offerCall returns the call for items of one age.
func offerCall(keys *wire.Keys, items []*item) script.Call {
	head := &items[0].offer
	call := script.Call{
		Script: offerScript, Keys: []string{keys.Timeout, keys.Pending, keys.Channel, keys.Queue, keys.Trace, keys.Attempts},
		Args: append(make([]any, 0, 10+5*len(items)),
			head.age(time.Now()), contexts(items), head.args.TraceTTL.Milliseconds(), script.Flag(!head.args.NoView), growing(items), 0, 0),
	}
	runs := 0
	for n := 0; n < len(items); runs++ {
		first := &items[n].offer
		length := 1
		for n+length < len(items) && items[n+length].offer.dueWith(first) {
			length++
		}
		call.Args = append(call.Args, first.mode, first.ms, length)
		n += length
	}
	call.Args[5] = runs
	named := 0
	for n, i := range items {
		a := &i.offer.args
		if a.Home() != "" && len(call.Keys) == 6 {
			call.Keys = append(call.Keys, keys.MessageNames, keys.IDs, keys.Due)
		}
		if d := &a.Dedup; d.Key != "" {
			named++
			call.Args = append(call.Args, n+1, d.Policy.String(), d.window(), d.Key)
		}
		if a.Nonce.Text != "" {
			named++
			call.Keys = append(call.Keys, keys.NonceRecord(a.Nonce.Text))
			call.Args = append(call.Args, n+1, "nonce", windowMs(a.Nonce.Window), "")
		}
	}
	call.Args[6] = named
	for _, i := range items {
		call.Args = append(call.Args, i.offer.element)
	}
	return call
}

// contexts returns the trace context of all items, or where they differ that of each.
func contexts(items []*item) []byte {
	first := items[0].offer.args.Trace
	for _, i := range items[1:] {
		if !bytes.Equal(i.offer.args.Trace, first) {
			all := make([]byte, len(items)*wire.TraceContextBytes)
			for n, i := range items {
				copy(all[n*wire.TraceContextBytes:], i.offer.args.Trace)
			}
			return all
		}
	}
	return first
}

// dueWith reports whether both say the same of when they are due.
func (o *offer) dueWith(other *offer) bool { return o.ms == other.ms && o.mode == other.mode }

// growing returns "1" where each id is larger than the one before: not where one was
// drawn again.
func growing(items []*item) string {
	for n := 1; n < len(items); n++ {
		if bytes.Compare(items[n-1].offer.id.Raw[:], items[n].offer.id.Raw[:]) >= 0 {
			return ""
		}
	}
	return "1"
}

// send makes the try and settles what it can. It calls pass, where it is not nil, as soon as
// it knows that nothing has to be sent again.
func (t *turn) send(ctx context.Context, rdb redisapi.Client, pass func()) {
	began := time.Now() // one for all, so that they have one age later
	for _, items := range t.of {
		for _, i := range items {
			i.offer.tries++
			i.offer.began = began
		}
	}
	client, err := t.client(ctx, rdb)
	if err != nil {
		err = &net.OpError{Op: "dial", Err: err} // nothing was sent
		for at := range t.of {
			t.settle(at, script.Reply{Err: err})
		}
		return
	}
	await := t.of[0][0].offer.args.Await
	client, conn := await.connection(client)
	if conn != nil {
		defer func() { _ = conn.Close() }()
	}
	replies := script.RunAll(ctx, client, t.calls)
	if await.Replicas <= 0 && pass != nil && t.final(replies) {
		pass()
	}
	for at, reply := range replies {
		t.settle(at, reply)
	}
	if await.Replicas > 0 {
		t.await(func(wrote bool) error { return await.wait(ctx, conn, *t.keys, wrote) })
	}
}

// client returns the client for the try. A cluster client is bypassed, because it would
// resend by itself without the age, except after an answer that says "elsewhere".
func (t *turn) client(ctx context.Context, rdb redisapi.Client) (script.Pipelined, error) {
	for _, items := range t.of {
		for _, i := range items {
			if i.offer.moving {
				return rdb, nil
			}
		}
	}
	direct, err := Direct(ctx, rdb, t.keys.Queue)
	if err != nil {
		return nil, err
	}
	return direct.(script.Pipelined), nil
}

// final reports whether every message was answered, and none is to be sent again.
func (t *turn) final(replies []script.Reply) bool {
	for _, reply := range replies {
		r := script.NewReader(offerScript, reply.Value)
		_, _, statuses := r.Micros(), r.Integer(), r.Text()
		if reply.Err != nil || r.Err() != nil || strings.ContainsAny(statuses, "tw") {
			return false
		}
	}
	return true
}

// await waits for the replicas of what is in.
func (t *turn) await(wait func(wrote bool) error) {
	var in []*item
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

var offerStatus = map[byte]string{
	'+': "added", 'p': "pending", 't': "taken", 'u': "unknown", 'r': "range",
	'k': "kept", 'h': "handled", 'x': "replaced", 'e': "extended", 'w': "apart",
}

// settle hands the reply of one call to its items.
func (t *turn) settle(at int, reply script.Reply) {
	items := t.of[at]
	if reply.Err != nil {
		t.fail(items, reply.Err)
		return
	}
	a, err := readOffers(reply.Value, items)
	if err != nil {
		t.fail(items, err)
		return
	}
	for n, i := range items {
		i.offer.moving = false
		if n > 0 && !i.offer.dueWith(&items[n-1].offer) {
			a.dues = a.dues[1:]
		}
		id, due, origin := i.offer.id, a.dues[0], a.dues[0]
		if stoodFor(a.statuses[n]) {
			due, origin, id.Raw = a.stood[0], a.origins[0], [8]byte([]byte(a.ids[:8]))
			a.stood, a.origins, a.ids = a.stood[1:], a.origins[1:], a.ids[8:]
		}
		result, err := i.offer.outcome(offerStatus[a.statuses[n]], id, due, origin, a.nowUs)
		// One of them is the head; which one does not matter to anybody.
		result.Head = err == nil && n == 0 && a.head == 1
		i.settle(result, err)
	}
}

// fail takes a call that ended in err. Where Redis refuses it as it is, one of its keys may be
// the reason: those that have one go alone then, and the others without them.
func (t *turn) fail(items []*item, err error) {
	apart := len(items) > 1 && len(timesOfKeys(items)) > 0 && refusesKeys(err)
	for _, i := range items {
		lost := i.offer.lost(err)
		if apart {
			lost = errApart
		}
		i.settle(OfferResult{}, lost)
	}
}

// refusesKeys reports whether an error may be that of one key among others: of its type, of
// a permission or of what lies there.
func refusesKeys(err error) bool {
	var server *fault.ServerError
	return errors.As(err, new(*fault.WrongTypeError)) || errors.As(err, new(*fault.PermissionError)) ||
		errors.As(err, &server) && server.Kind == fault.KindUnknown
}

// offerReply is what the script says of its items.
type offerReply struct {
	nowUs, head int64
	statuses    string
	dues        []int64 // one for each run
	stood       []int64 // due time of each message that stands for an item
	origins     []int64 // that in its ID
	ids         string  // and the 8 bytes of it
}

// stoodFor reports whether a message that was there before stands for an item of that status.
func stoodFor(status byte) bool { return strings.IndexByte("pkhe", status) >= 0 }

func readOffers(value any, items []*item) (offerReply, error) {
	r := script.NewReader(offerScript, value)
	a := offerReply{nowUs: r.Micros(), head: r.Integer(), statuses: r.Text()}
	a.dues, a.stood, a.origins, a.ids = r.Integers(), r.Integers(), r.Integers(), r.Text()
	runs, stood := 0, 0
	for n, i := range items {
		if n == 0 || !i.offer.dueWith(&items[n-1].offer) {
			runs++
		}
	}
	for n := range len(a.statuses) {
		if stoodFor(a.statuses[n]) {
			stood++
		}
	}
	err := r.Err()
	if err == nil && (len(a.statuses) != len(items) || len(a.dues) != runs || len(a.stood) != stood || len(a.origins) != stood || len(a.ids) != 8*stood) {
		err = r.Unexpected("not one status and due time for each message: " + strconv.Quote(a.statuses))
	}
	return a, err
}
