package outbox

import (
	"database/sql"
	"errors"
	"time"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
)

// What a row asks for.
const (
	opOffer      = "offer"
	opCancel     = "cancel"
	opReschedule = "reschedule"
)

// row is one request. Times are in ms.
type row struct {
	id       int64
	nonce    string
	op       string
	queue    string // its code
	key      []byte // nil: none
	policy   string // of the key
	window   int64  // of the key; 0: until the message is due
	payload  []byte
	delay    sql.NullInt64 // from created
	due      sql.NullInt64 // by the clock of Redis, instead of delay
	trace    string        // a traceparent
	created  int64         // by the clock of the database
	attempts int64         // that failed
}

// columns are those that a claim reads, in the order of fields.
const columns = "id, nonce, op, queue, message_key, policy, window_ms, payload, delay_ms, due_ms, trace, created_ms, attempts"

// fields returns where Scan puts the columns.
func (r *row) fields() []any {
	return []any{
		&r.id, &r.nonce, &r.op, &r.queue, &r.key, &r.policy, &r.window, &r.payload, &r.delay, &r.due, &r.trace, &r.created, &r.attempts,
	}
}

// setDedup keeps what an offer says of its key.
func (r *row) setDedup(d delayed.Dedup) {
	if d.Key == "" {
		return
	}
	r.key, r.policy, r.window = []byte(d.Key), d.Policy.String(), d.Window.Milliseconds()
	if d.Window > 0 && r.window == 0 {
		r.window = 1
	}
}

var errPolicy = errors.New("the column policy is none of keep, replace, extend")

// dedup returns what setDedup kept.
func (r *row) dedup() (delayed.Dedup, error) {
	if len(r.key) == 0 {
		return delayed.Dedup{}, nil
	}
	d := delayed.Dedup{Key: string(r.key), Window: time.Duration(r.window) * time.Millisecond}
	for _, p := range []delayed.DedupPolicy{delayed.DedupKeep, delayed.DedupReplace, delayed.DedupExtend} {
		if p.String() == r.policy {
			d.Policy = p
			return d, nil
		}
	}
	return d, errPolicy
}

// left returns what is left of the delay when it is now in the database. A clock that was set
// back makes nothing longer than it was.
func (r *row) left(now int64) time.Duration {
	age := max(now-r.created, 0)
	return time.Duration(max(r.delay.Int64-age, 0)) * time.Millisecond
}

// size is what the row holds in memory, give or take.
func (r *row) size() int { return len(r.payload) + len(r.key) }
