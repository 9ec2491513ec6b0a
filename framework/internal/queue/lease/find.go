package lease

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// Bounds of a search for a message that is not pending. They hold Redis for 10 ms at most,
// beside reading one large dead body: the scripts look at the clock, and the counts bound
// those of servers where it stands still. What a small queue has is searched whatever the clock
// says (100 ready messages, 31 fetches, 64 dead letters), so a slow server gives the same answer.
const (
	findReady     = 20_000
	findReadyEach = 4_000 // of one script
	findSessions  = 500
	findLists     = 512
	findListsEach = 64 // of one script
	findDead      = 512
	findDeadEach  = 128
	findDeadBytes = 256 << 10 // of one script

	// µs of all scripts; what is begun is ended.
	findReadyTime    = 1_500
	findInFlightTime = 1_000
	findDeadTime     = 500
)

// Find says where a message is that was found not to be pending, in gone itself: in flight,
// ready or in the dead store. With forbid a message that is in flight is not retried: if
// this attempt fails it ends as cancelled, and if its process dies or gives it back it is
// dropped. Errors are those of Redis; then gone is as it was.
//
// A message moves on while it is looked for, from pending to ready to in flight to the dead
// store: Find looks in that order. One that was retried meanwhile is pending again: ask
// once more where Find found nothing.
func Find(ctx context.Context, rdb redisapi.Client, k wire.Keys, gone *delayed.NotPending, forbid bool) error {
	cut := false
	if field := gone.Field(); field != "" {
		found, cutReady, err := findReadyEntry(ctx, rdb, k, field)
		if found {
			gone.Where = fault.WhereReady
		}
		if err != nil || found {
			return err
		}
		found, cutInFlight, err := findInFlight(ctx, rdb, k, field, gone, forbid)
		if err != nil || found {
			return err
		}
		cut = cutReady || cutInFlight
	}
	found, more, err := findDeadEntry(ctx, rdb, k, gone)
	if err != nil || found {
		return err
	}
	if cut || more {
		gone.Where = fault.WhereCut
	}
	return nil
}

// findReadyEntry asks the due records of what is ready, the newest ones first.
func findReadyEntry(ctx context.Context, rdb redisapi.Client, k wire.Keys, field string) (found, cut bool, err error) {
	for seen, left := 0, findReadyTime; seen < findReady && left > 0; {
		reply, err := findReadyScript.Run(ctx, rdb, []string{k.Queue, k.Due}, field, seen, findReadyEach, left)
		if err != nil {
			return false, false, err
		}
		words, err := texts(findReadyScript, reply, 3)
		if err != nil {
			return false, false, err
		}
		if words[0] != "0" {
			return words[0] == "1", false, nil
		}
		seen, left = seen+atoi(words[1]), left-atoi(words[2])
	}
	return false, true, nil
}

// findInFlight asks the headers of all fetches.
func findInFlight(
	ctx context.Context, rdb redisapi.Client, k wire.Keys, field string, gone *delayed.NotPending, forbid bool,
) (found, cut bool, err error) {
	sessions, err := rdb.ZRange(ctx, k.Sessions, 0, findSessions).Result()
	if err != nil {
		return false, false, rediserr.Classify("zrange", err)
	}
	if len(sessions) > findSessions {
		sessions, cut = sessions[:findSessions], true
	}
	open, err := inflightLists(ctx, rdb.Pipeline(), k, sessions)
	if err != nil {
		return false, false, err
	}
	minted := hex.EncodeToString([]byte(field[2:7])) // what the nonce begins with where it came without an id
	first, rest := []string{}, []string{}
	for _, list := range slices.Concat(open...) {
		if strings.HasPrefix(list[len(list)-nonceDigits:], minted) {
			first = append(first, list)
		} else {
			rest = append(rest, list)
		}
	}
	lists := append(first, rest...)
	if len(lists) > findLists {
		lists, cut = lists[:findLists], true
	}
	for left := findInFlightTime; len(lists) > 0; {
		if left <= 0 {
			return false, true, nil
		}
		part := lists[:min(len(lists), findListsEach)]
		reply, err := forbidScript.Run(ctx, rdb, part, field, script.Flag(forbid), left)
		if err != nil {
			return false, false, err
		}
		words, err := texts(forbidScript, reply, 4)
		if err != nil {
			return false, false, err
		}
		if words[0] != "0" {
			gone.Where, gone.Since, gone.Forbidden = fault.WhereInFlight, time.UnixMilli(int64(atoi(words[2]))), forbid
			return true, false, nil
		}
		lists, left = lists[atoi(words[1]):], left-atoi(words[3])
	}
	return false, cut, nil
}

// nonceDigits is how long the nonce at the end of a list's key is.
const nonceDigits = 16

// inflightLists runs a pipeline, and returns the lists of the open fetches of each session.
func inflightLists(ctx context.Context, pipe redis.Pipeliner, k wire.Keys, sessions []string) ([][]string, error) {
	sets := make([]*redis.StringSliceCmd, len(sessions))
	for i, s := range sessions {
		sets[i] = pipe.SMembers(ctx, k.Fetches(s))
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, rediserr.Classify("SMEMBERS", err)
	}
	lists := make([][]string, len(sessions))
	for i, set := range sets {
		for _, nonce := range set.Val() {
			if len(nonce) == nonceDigits {
				lists[i] = append(lists[i], k.Inflight(sessions[i], nonce))
			}
		}
	}
	return lists, nil
}

// findDeadEntry asks the newest entries of the dead store.
func findDeadEntry(
	ctx context.Context, rdb redisapi.Client, k wire.Keys, gone *delayed.NotPending,
) (found, cut bool, err error) {
	last, left := "", findDeadTime
	_, own, _ := wire.CutPartition(gone.ID) // as it stands in the store
	for range findDead / findDeadEach {
		if left <= 0 {
			break
		}
		reply, err := findDeadScript.Run(ctx, rdb, []string{k.Dead}, own, gone.Key, last, findDeadEach, findDeadBytes, left)
		if err != nil {
			return false, false, err
		}
		words, err := texts(findDeadScript, reply, 5)
		if err != nil {
			return false, false, err
		}
		if words[0] != "" {
			gone.Where = fault.WhereDead
			gone.Entry, gone.ID = wire.InPartition(k.Partition, words[0]), wire.InPartition(k.Partition, words[2])
			gone.Since = time.UnixMilli(int64(atoi(words[3])))
			return true, false, nil
		}
		if last = words[1]; last == "" {
			return false, false, nil
		}
		left -= atoi(words[4])
	}
	return false, true, nil
}
