package delayed

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var lettersScript = library.Script("letters")

// DeadEntry is an entry of a dead store, with the beginning of its payload and how many bytes that
// has as a whole.
type DeadEntry struct {
	redis.XMessage
	Bytes int
}

// EntryOf is an entry that was read as a whole.
func EntryOf(m redis.XMessage) DeadEntry {
	body, _ := m.Values["body"].(string)
	return DeadEntry{XMessage: m, Bytes: len(body)}
}

// PageLetters reads up to limit entries from first to last, as XRANGE names them, about 1 MiB and
// one entry at most (8 MiB of what is left out), and of a payload at most so many bytes. It changes nothing. Errors are
// those of [script.Script.Run].
func PageLetters(ctx context.Context, rdb redis.Scripter, k wire.Keys, first, last string, limit int64, most int) ([]DeadEntry, error) {
	value, err := lettersScript.Run(ctx, rdb, []string{k.Dead}, first, last, limit, pageBytes, most)
	if err != nil {
		return nil, err
	}
	r := script.NewReader(lettersScript, value)
	page := make([]DeadEntry, r.Len()/3)
	for i := range page {
		page[i].ID, page[i].Bytes = r.Text(), int(r.Integer())
		page[i].Values = map[string]any{}
		for fields := r.Array(); fields.More(); {
			page[i].Values[fields.Text()] = fields.Text()
		}
	}
	return page, r.Err()
}
