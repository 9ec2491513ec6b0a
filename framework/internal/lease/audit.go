package lease

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

// auditStep is how many keys Redis looks at in one step of a search.
const auditStep = 500

// Audit searches the keyspace for staging lists and lists in flight whose session is
// not registered, and returns their messages to the head of the queue. Ordinary
// operation leaves none; a key lost by hand or by a failover does. It returns how many
// messages came back.
func (r *Reaper) Audit(ctx context.Context) (int, error) {
	found, err := r.search(ctx)
	if err != nil {
		return 0, err
	}
	total := 0
	var errs []error
	for session, nonces := range found {
		h, err := r.end(ctx, session, "orphan", nonces)
		if err != nil {
			errs = append(errs, err)
		}
		total += h.Bodies + h.Staged
	}
	return total, errors.Join(errs...)
}

// search returns the sessions that own lists but are not registered, with the nonces
// of those lists.
func (r *Reaper) search(ctx context.Context) (map[string][]string, error) {
	node, err := nodeOf(ctx, r.rdb, r.keys.Queue)
	if err != nil {
		return nil, err
	}
	tail := strings.TrimPrefix(r.keys.Stage(""), "duequeue:stage:") // "{q}:"
	found := make(map[string][]string)
	for cursor := uint64(0); ; {
		keys, next, err := node.Scan(ctx, cursor, "duequeue:*:"+redisson.EscapeGlob(tail)+"*", auditStep).Result()
		if err != nil {
			return nil, redisson.Classify("scan", err)
		}
		for _, key := range keys {
			r.file(found, key, tail)
		}
		if cursor = next; cursor == 0 {
			break
		}
	}
	for session := range found {
		known, err := r.registered(ctx, session)
		if err != nil {
			return nil, err
		}
		if known {
			delete(found, session)
		}
	}
	return found, nil
}

// file puts one key of a session where it belongs.
func (r *Reaper) file(found map[string][]string, key, tail string) {
	kind, rest, ok := strings.Cut(strings.TrimPrefix(key, "duequeue:"), ":"+tail)
	if !ok {
		return
	}
	session, nonce, hasNonce := strings.Cut(rest, ":")
	switch {
	case kind == "inflight" && hasNonce && len(nonce) == 16:
		if !slices.Contains(found[session], nonce) {
			found[session] = append(found[session], nonce)
		}
	case (kind == "stage" || kind == "fetches") && !hasNonce:
		if _, known := found[session]; !known {
			found[session] = nil
		}
	}
}

func (r *Reaper) registered(ctx context.Context, session string) (bool, error) {
	scores, err := r.rdb.ZMScore(ctx, r.keys.Sessions, session).Result()
	if err != nil {
		return false, redisson.Classify("zmscore", err)
	}
	return len(scores) == 1 && scores[0] != 0, nil
}
