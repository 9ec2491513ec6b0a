package lease

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// A record of a message, see attempts.lua, by places behind the counters.
const (
	recordKept   = 16
	recordDue    = 32
	recordDigest = 73
	recordHead   = 117
)

func wholeDigest(body string) string {
	sum := sha1.Sum([]byte(body))
	return hex.EncodeToString(sum[:])
}

// idOf is the element id that tests give a payload.
func idOf(body string) wire.ElementID {
	sum := sha1.Sum([]byte(body))
	id := wire.ElementID{Kind: wire.KindFirst, Raw: [8]byte(sum[:])}
	id.Raw[0] = 7
	return id
}

// record is what is known of a message, as a test reads it.
type record struct {
	field, counts, history string
	kept                   int64 // in ms
	value                  string
}

// records returns those of messages with this payload.
func (e *env) records(t testing.TB, body string) []record {
	t.Helper()
	all, err := e.rdb.HGetAll(t.Context(), e.keys.Attempts).Result()
	must(t, err)
	var found []record
	for field, value := range all {
		counts, rest, ok := strings.Cut(value, ";")
		if !ok || len(rest) < recordHead || rest[recordDigest:recordDigest+40] != wholeDigest(body) {
			continue
		}
		r := record{field: field, counts: counts, value: value}
		var key int
		_, err := fmt.Sscanf(rest[:recordKept]+" "+rest[113:117], "%d %d", &r.kept, &key)
		must(t, err)
		r.history = rest[recordHead+key:]
		found = append(found, r)
	}
	return found
}

// attempts returns the counters of the one message with this payload as
// "delivered,failed,died", and a history behind them where there is one.
func (e *env) attempts(t testing.TB, body string) string {
	t.Helper()
	switch found := e.records(t, body); len(found) {
	case 0:
		return ""
	case 1:
		return strings.TrimSuffix(found[0].counts+";"+found[0].history, ";")
	default:
		t.Fatalf("%d records of %q", len(found), body)
		return ""
	}
}

// setAttempts gives a payload that waits on the ready list counters, and a history behind a
// ";", as those of a retry that Java has transferred.
func (e *env) setAttempts(t testing.TB, body, counts string) {
	t.Helper()
	e.setAttemptsOf(t, idOf(body), 1, body, counts)
}

// setAttemptsOf is setAttempts for the message that was offered with this id and due time.
func (e *env) setAttemptsOf(t testing.TB, id wire.ElementID, due int64, body, counts string) {
	t.Helper()
	e.putRecord(t, id, due, body, counts, time.Now().Add(time.Hour).UnixMilli())
}

func (e *env) putRecord(t testing.TB, element wire.ElementID, due int64, body, counts string, kept int64) {
	t.Helper()
	digest, id := wholeDigest(body), string(element.Raw[:])
	counts, history, _ := strings.Cut(counts, ";")
	value := fmt.Sprintf("%s;%016d%016du%016d%s----------------%s0000%s", counts, kept, 0, due, id, digest, history)
	var d, f, x int
	_, err := fmt.Sscanf(counts, "%d,%d,%d", &d, &f, &x)
	must(t, err)
	must(t, e.rdb.HSet(t.Context(), e.keys.Attempts, "u"+id, value).Err())
	member := digest + string([]byte{byte(255 - min(f, 255))}) + "u" + id
	must(t, e.rdb.ZAdd(t.Context(), e.keys.IDs, redis.Z{Member: member}).Err())
}

// over makes the counters of a payload those of a message that was due a week ago.
func (e *env) over(t testing.TB, body string) {
	t.Helper()
	r := e.records(t, body)[0]
	counts, rest, _ := strings.Cut(r.value, ";")
	must(t, e.rdb.HSet(t.Context(), e.keys.Attempts, r.field,
		fmt.Sprintf("%s;%016d%s", counts, time.Now().Add(-time.Minute).UnixMilli(), rest[recordKept:])).Err())
}

// A message whose ID a transfer by Java or a return has dropped takes no ID of an equal one
// that is still pending, however soon that is due.
func TestPendingTwinKeepsItsID(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"small": "tick", "large": strings.Repeat("tick", 40_000)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := onReal(t)
			s := e.session(t, Options{})
			twin, err := delayed.Offer(t.Context(), e.rdb, e.keys, delayed.OfferArgs{
				Payload: []byte(body), Delay: 700 * time.Millisecond, Trace: []byte(strings.Repeat("t", wire.TraceContextBytes)),
			})
			must(t, err)
			e.push(t, body)
			got := take(t, s, 1).Messages[0]
			if got.ID.Element == twin.ID || got.Trace != nil {
				t.Errorf("a ready message has the ID %v and trace %q of one that is pending", got.ID, got.Trace)
			}
			// Once Java has moved it, its trace record tells its ID.
			must(t, e.rdb.Del(t.Context(), e.keys.Timeout, e.keys.Pending).Err())
			e.push(t, body)
			if got := take(t, s, 1).Messages[0]; got.ID.Element != twin.ID || got.Trace == nil {
				t.Errorf("the twin came as %v", got.ID)
			}
		})
	}
}
