package delayed

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Defaults of [OfferArgs].
const (
	DefaultOfferTries = 5
	DefaultTraceTTL   = 24 * time.Hour
)

const (
	offerBackoffFirst = 20 * time.Millisecond
	offerBackoffMax   = time.Second
	offerRedraws      = 8 // ids drawn before a collision is called a mistake
)

// offerScript adds one element; see lua/offer.lua.
var offerScript = library.Script("offer")

// OfferArgs is one logical offer. The zero value offers an empty payload now.
type OfferArgs struct {
	Payload []byte

	// Delay counts from the moment Redis executes the first try; it is rounded
	// up to a millisecond and must not be negative. Ignored when At is set.
	Delay time.Duration

	// At is a fixed due time by the clock of Redis, rounded up to a
	// millisecond. Zero: use Delay.
	At time.Time

	// Trace is a packed trace context of [wire.TraceContextBytes] bytes, or empty.
	Trace []byte

	// TraceTTL is how long after the due time the trace record is kept.
	// Defaults to [DefaultTraceTTL].
	TraceTTL time.Duration

	// Tries bounds how often a failed call is sent, the first time included.
	// Defaults to [DefaultOfferTries].
	Tries int

	// Dedup, where its Key is set, lets the window of the key hold one message.
	Dedup Dedup

	// View says whether the pending list gets the element. Defaults to [ViewExact].
	View View

	// Await makes the offer wait until replicas have it.
	Await Await

	// Err is an error of the caller, who has no payload: a bulk offer reports it in
	// its place, and sends nothing.
	Err error

	// IDs makes the element id. Defaults to one generator for the process.
	IDs *wire.IDs
}

// OfferResult says what Redis holds after a successful offer.
type OfferResult struct {
	ID    wire.ElementID
	Text  string // the id for users; see [wire.FormatID]
	DueMs int64  // due time in ms, by the clock of Redis
	NowUs int64  // time of Redis in µs when it answered
	Head  bool   // it became the next message due, and the channel was told
	Tries int    // how often it was sent
	Dedup DedupOutcome
	found bool // an earlier try had added it
}

// Offer adds one message to the queue. A call whose outcome is unknown is sent
// again with the same element id and the age of the offer, so that it is neither
// doubled nor postponed; rdb should have MaxRetries -1, so that it does not
// repeat calls on its own, and a cluster client is bypassed by [Direct].
//
// Errors: [*fault.DelayError] before anything is sent; [*fault.OutcomeUnknownError] when the
// message may or may not have been added; those of [script.Script.Run] when it was not.
// A cancelled ctx ends the tries. With a [*fault.ReplicationError] comes a result: the message
// is in.
func Offer(ctx context.Context, rdb redis.Scripter, keys wire.Keys, args OfferArgs) (OfferResult, error) {
	o, err := newOffer(keys, args)
	if err != nil {
		return OfferResult{}, err
	}
	redraws := 0
	for {
		if err := ctx.Err(); err != nil {
			return OfferResult{}, o.failure(context.Cause(ctx))
		}
		result, err := o.send(ctx, rdb)
		var unreplicated *fault.ReplicationError
		switch {
		case err == nil || errors.As(err, &unreplicated):
			return result, err
		case errors.Is(err, errTaken) && redraws < offerRedraws:
			redraws++
			o.redraw()
			continue
		case !o.retryable(err):
			return OfferResult{}, o.failure(err)
		}
		if err := retry.Pause(ctx, retry.Backoff(o.tries-1, offerBackoffFirst, offerBackoffMax)); err != nil {
			return OfferResult{}, o.failure(err)
		}
	}
}

// errTaken says that the id of a first try exists already.
var errTaken = errors.New("redisson: the element id is taken")

// offer is the state of one logical offer across its tries.
type offer struct {
	keys      *wire.Keys
	args      OfferArgs
	ids       *wire.IDs
	id        wire.ElementID
	element   []byte
	mode      string
	ms        int64
	tries     int
	firstSent time.Time // when the oldest try with an unknown outcome began
	unknown   bool      // some try may have been executed
	began     time.Time // when the current try began
	moving    bool      // the last try was told that the slot is elsewhere
}

func newOffer(keys wire.Keys, args OfferArgs) (*offer, error) {
	o := &offer{}
	if err := o.prepare(&keys, args); err != nil {
		return nil, err
	}
	return o, nil
}

// prepare fills a zero offer; after an error there is nothing to send.
func (o *offer) prepare(keys *wire.Keys, args OfferArgs) error {
	o.keys, o.args, o.ids, o.mode = keys, args, args.IDs, "in"
	if o.ids == nil {
		o.ids = wire.ProcessIDs
	}
	if o.args.Tries <= 0 {
		o.args.Tries = DefaultOfferTries
	}
	if o.args.TraceTTL <= 0 {
		o.args.TraceTTL = DefaultTraceTTL
	}
	if args.Err != nil {
		return args.Err
	}
	if err := args.Dedup.check(); err != nil {
		return err
	}
	if n := len(args.Trace); n != 0 && n != wire.TraceContextBytes {
		return fmt.Errorf("redisson: trace context of %d bytes, want %d", n, wire.TraceContextBytes)
	}
	switch {
	case !args.At.IsZero():
		o.mode, o.ms = "at", wire.CeilMs(args.At)
		if o.ms < 0 {
			return &fault.DelayError{DueMs: o.ms, Reason: "the due time lies before 1970"}
		}
	case args.Delay < 0:
		return &fault.DelayError{Delay: args.Delay, Reason: "the delay is negative"}
	default:
		o.ms = int64((args.Delay-1)/time.Millisecond) + 1
		if args.Delay == 0 {
			o.ms = 0
		}
	}
	if o.ms >= wire.MaxDueMs {
		return &fault.DelayError{Delay: args.Delay, DueMs: o.ms, Reason: "the due time is at or beyond 2^53 ms"}
	}
	o.id = o.ids.Next()
	o.element = wire.Pack(o.id, args.Payload)
	return nil
}

// next returns the call of the next try.
func (o *offer) next() script.Call {
	o.tries++
	o.began = time.Now()
	age := o.age(o.began)
	k := o.keys
	if o.args.Dedup.Key != "" {
		return o.once(age)
	}
	return script.Call{
		Script: offerScript,
		Keys:   []string{k.Timeout, k.Pending, k.Channel, k.Queue, k.Trace, k.Attempts},
		Args: []any{
			o.element, o.mode, o.ms, age,
			o.args.Trace, o.args.TraceTTL.Milliseconds(), o.args.View.listed(),
		},
	}
}

// age returns the argument for a try at now.
func (o *offer) age(now time.Time) string {
	if !o.unknown {
		return ""
	}
	// Rounded down: an age that is too small can only postpone.
	return strconv.FormatInt(now.Sub(o.firstSent).Milliseconds(), 10)
}

// send makes one try. A cluster client is bypassed, because it would resend by
// itself without the age, except after an answer that says "elsewhere".
func (o *offer) send(ctx context.Context, rdb redis.Scripter) (OfferResult, error) {
	call := o.next()
	if !o.moving {
		direct, err := Direct(ctx, rdb, o.keys.Queue)
		if err != nil {
			// Nothing was sent.
			return o.settle(nil, &net.OpError{Op: "dial", Err: err})
		}
		rdb = direct
	}
	if o.args.Await.Replicas <= 0 {
		value, err := call.Script.Run(ctx, rdb, call.Keys, call.Args...)
		o.elsewhere(err)
		return o.settle(value, err)
	}
	return o.sendAndWait(ctx, rdb, call)
}

// sendAndWait makes one try and waits for the replicas on the same connection.
func (o *offer) sendAndWait(ctx context.Context, rdb redis.Scripter, call script.Call) (OfferResult, error) {
	var conn *redis.Conn
	if client, ok := rdb.(*redis.Client); ok {
		conn = client.Conn()
		defer func() { _ = conn.Close() }()
		rdb = conn
	}
	value, err := call.Script.Run(ctx, rdb, call.Keys, call.Args...)
	o.elsewhere(err)
	result, err := o.settle(value, err)
	if err == nil {
		err = o.args.Await.wait(ctx, conn, *o.keys, result.wrote())
	}
	return result, err
}

// elsewhere notes whether the node said that the slot is elsewhere.
func (o *offer) elsewhere(err error) {
	var server *fault.ServerError
	o.moving = errors.As(err, &server) && server.Kind == fault.KindCluster
}

// settle reads the answer to the call that next returned.
func (o *offer) settle(value any, err error) (OfferResult, error) {
	if err != nil {
		if rediserr.IsAmbiguous(err) && !o.unknown {
			o.unknown, o.firstSent = true, o.began
		}
		return OfferResult{}, err
	}
	r := script.NewReader(offerScript, value)
	status, due, head := r.Text(), r.Integer(), r.Integer()
	nowUs := r.Micros()
	id, origin := o.id, due
	switch {
	case o.args.Dedup.Key != "" && r.Len() == onceItems:
		id = wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte([]byte(r.Text() + "        ")[:8])}
		origin = r.Integer()
	case status == "pending":
		origin = r.Integer()
	}
	if r.Err() != nil {
		return OfferResult{}, r.Err()
	}
	result, err := o.outcome(status, id, due, origin, nowUs)
	result.Head = err == nil && head == 1
	return result, err
}

// outcome returns what a status of the scripts means. id is that of the message that
// stands for this one, origin the due time in its ID: it may be due at another time by now.
func (o *offer) outcome(status string, id wire.ElementID, due, origin, nowUs int64) (OfferResult, error) {
	switch status {
	case "added", "pending", "kept", "replaced", "extended":
		return OfferResult{
			ID: id, Text: wire.FormatID(origin, id), DueMs: due, NowUs: nowUs, Tries: o.tries,
			Dedup: dedupOutcomes[status], found: status == "pending",
		}, nil
	case "taken":
		return OfferResult{}, errTaken
	case "range":
		return OfferResult{}, &fault.DelayError{
			Delay: o.args.Delay, DueMs: due, Reason: "the due time is at or beyond 2^53 ms",
		}
	case "unknown":
		return OfferResult{}, &fault.OutcomeUnknownError{
			ID: hex.EncodeToString(o.id.Raw[:]), Payload: wire.Digest(o.args.Payload), Tries: o.tries,
			Err: errors.New("the resend came after the due time and the message is no longer pending"),
		}
	default:
		return OfferResult{}, &script.ReplyError{Script: offerScript.Name(), Reason: fmt.Sprintf("status %q", status)}
	}
}

// redraw gives the offer another id, after its first try found its id taken.
func (o *offer) redraw() {
	o.ids.Collided()
	o.id = o.ids.Next()
	o.element = wire.Pack(o.id, o.args.Payload)
	o.tries--
}

func (o *offer) retryable(err error) bool {
	return o.tries < o.args.Tries && rediserr.IsTransient(err)
}

// failure returns the error for the caller after the last try.
func (o *offer) failure(err error) error {
	var unknown *fault.OutcomeUnknownError
	if !o.unknown || errors.As(err, &unknown) {
		return err
	}
	return &fault.OutcomeUnknownError{ID: hex.EncodeToString(o.id.Raw[:]), Payload: wire.Digest(o.args.Payload), Tries: o.tries, Err: err}
}
