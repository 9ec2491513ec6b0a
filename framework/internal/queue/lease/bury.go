package lease

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var buryReadyScript = library.Script("buryready")

// OperateScripts returns what people run besides.
func OperateScripts() []*script.Script { return []*script.Script{buryReadyScript} }

// Bounds of one script of [BuryReady]. What it begins it ends: a body of a MiB takes about a ms.
const (
	MaxBury      = 100 // messages
	buryBytes    = 1 << 20
	buryMicros   = 4_000 // after which no further one is begun
	buryOverhead = 64
)

// Ready is a message of the ready list, and its place in it when it was seen.
type Ready struct {
	Place int64 // from the head, 0 is the next one
	Body  string
}

// BuryReady moves messages of the ready list to the dead store, with what is known of them. It
// returns for each its entry there, "" for one that was gone, up to those that one script moves,
// at least one: call it again with the others. A call whose reply was lost is not sent again:
// equal payloads could not be told from those that it has moved. Errors are those of
// [script.Script.Run].
func BuryReady(ctx context.Context, rdb redis.Scripter, k wire.Keys, reason, detail string, ready []Ready) ([]string, error) {
	var nonce [8]byte
	_, _ = rand.Read(nonce[:]) // never fails
	args := []any{buryMicros, hex.EncodeToString(nonce[:]), reason, cut(detail)}
	bytes := 0
	for i, m := range ready {
		if bytes += len(m.Body) + buryOverhead; i == MaxBury || i > 0 && bytes > buryBytes {
			break
		}
		args = append(args, m.Place, m.Body)
	}
	keys := []string{
		k.Queue, k.Queue, k.Queue, k.Queue, k.Queue, k.Attempts, k.Due, k.Trace, k.Dead, k.Timeout, k.MessageNames, k.IDs,
	}
	reply, err := buryReadyScript.Run(ctx, rdb, keys, args...)
	if err != nil {
		return nil, err
	}
	words, err := texts(buryReadyScript, reply, 0)
	if err != nil {
		return nil, err
	}
	for i, word := range words {
		switch word {
		case "later":
			return words[:i], nil
		case "gone":
			words[i] = ""
		}
	}
	return words, nil
}
