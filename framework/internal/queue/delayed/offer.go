package delayed

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
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

// offerScript adds one element or many; see lua/offer.lua.
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

	// Nonce, where its Text is set, makes offers of the same nonce one.
	Nonce Nonce

	// NoView keeps the element out of the pending list.
	NoView bool

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

// Why an offer is sent again at once.
var (
	errTaken = errors.New("redisson: the element id is taken") // on a first try
	errApart = errors.New("redisson: the offer is to be sent without others")
)

// Home returns the name that says which partition an offer goes to; "" lets it go to any.
func (a *OfferArgs) Home() string { return cmp.Or(a.Dedup.Key, a.Nonce.Text) }

// Due returns when the message is due, as the scripts take it: "at" a time in ms, or "in" so many
// ms. The error is a [*fault.DelayError].
func (a *OfferArgs) Due() (mode string, ms int64, err error) {
	switch {
	case !a.At.IsZero():
		mode, ms = "at", wire.CeilMs(a.At)
		if ms < 0 {
			return "", 0, &fault.DelayError{DueMs: ms, Reason: "the due time is before 1970"}
		}
	case a.Delay < 0:
		return "", 0, &fault.DelayError{Delay: a.Delay, Reason: "the delay is negative"}
	default:
		mode, ms = "in", int64((a.Delay-1)/time.Millisecond)+1
		if a.Delay == 0 {
			ms = 0
		}
	}
	if ms >= wire.MaxDueMs {
		return "", 0, &fault.DelayError{Delay: a.Delay, DueMs: ms, Reason: "the due time is at or beyond 2^53 ms"}
	}
	return mode, ms, nil
}

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

// prepare fills a zero offer, but for its id, which [offer.draw] gives it. After an error
// there is nothing to send.
func (o *offer) prepare(keys *wire.Keys, args OfferArgs) error {
	o.keys, o.args, o.ids = keys, args, args.IDs
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
	if err := errors.Join(args.Dedup.Check(), args.Nonce.check()); err != nil {
		return err
	}
	if n := len(args.Trace); n != 0 && n != wire.TraceContextBytes {
		return fmt.Errorf("redisson: trace context of %d bytes, want %d", n, wire.TraceContextBytes)
	}
	var err error
	if o.mode, o.ms, err = args.Due(); err != nil {
		return err
	}
	o.element = wire.Pack(wire.ElementID{Kind: wire.KindFirst}, args.Payload)
	o.args.Payload = o.element[len(o.element)-len(args.Payload):]
	return nil
}

// draw gives the offer an id, which is larger than those drawn before.
func (o *offer) draw() {
	o.id = o.ids.Next()
	copy(o.element, o.id.Raw[:])
}

// age returns the argument for a try at now.
func (o *offer) age(now time.Time) string {
	if !o.unknown {
		return ""
	}
	// Rounded down: an age that is too small can only postpone.
	return strconv.FormatInt(now.Sub(o.firstSent).Milliseconds(), 10)
}

// elsewhere notes whether the node said that the slot is elsewhere.
func (o *offer) elsewhere(err error) {
	var server *fault.ServerError
	o.moving = errors.As(err, &server) && server.Kind == fault.KindCluster
}

// lost takes a try that ended in err, which it returns.
func (o *offer) lost(err error) error {
	o.elsewhere(err)
	if rediserr.IsAmbiguous(err) && !o.unknown {
		o.unknown, o.firstSent = true, o.began
	}
	return err
}

// outcome returns what a status of the scripts means. id is that of the message that
// stands for this one, origin the due time in its ID: it may be due at another time by now.
func (o *offer) outcome(status string, id wire.ElementID, due, origin, nowUs int64) (OfferResult, error) {
	switch status {
	case "added", "pending", "kept", "replaced", "extended", "handled":
		return OfferResult{
			ID: id, Text: o.keys.ID(origin, id).String(), DueMs: due, NowUs: nowUs, Tries: o.tries,
			Dedup: dedupOutcomes[status], found: status == "pending",
		}, nil
	case "taken":
		return OfferResult{}, errTaken
	case "apart":
		return OfferResult{}, errApart
	case "range":
		return OfferResult{}, &fault.DelayError{
			Delay: o.args.Delay, DueMs: due, Reason: "the due time is at or beyond 2^53 ms",
		}
	case "unknown":
		return OfferResult{}, o.doubt(o.id, o.tries, errors.New("the resend came after the due time and the message is no longer pending"))
	default:
		return OfferResult{}, &script.ReplyError{Script: "offer", Reason: fmt.Sprintf("status %q", status)}
	}
}

// redraw gives the offer another id, after its first try found its id taken.
func (o *offer) redraw() {
	o.ids.Collided()
	o.draw()
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
	return o.doubt(o.id, o.tries, err)
}

// doubt returns the error of an offer that may have been added under id.
func (o *offer) doubt(id wire.ElementID, tries int, err error) error {
	return &fault.OutcomeUnknownError{ID: hex.EncodeToString(id.Raw[:]), Payload: wire.Digest(o.args.Payload), Tries: tries, Err: err}
}
