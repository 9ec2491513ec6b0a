package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/delayed"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// readsMost is how many ready messages are looked at for the codec that reads them.
const readsMost = 10

// readsCheck is the check of what is part of the sentence on payloads of another codec.
const readsCheck = "reads"

// findReads says which codec reads the first ready messages, by guess: the declared one only where it
// reads all of them. Large payloads are not read.
func findReads(ctx context.Context, rdb redisapi.Client, k wire.Keys, name, declared string, guess func(payload []byte) string) ([]Finding, error) {
	looked, by := 0, map[string]int{}
	for b, err := range delayed.WalkBeginnings(ctx, rdb, k, 0, readsMost, MostRead) {
		if err != nil {
			return nil, err
		}
		if b.Bytes > MostRead {
			continue
		}
		looked++
		if codec := guess([]byte(b.Text)); codec != "" {
			by[codec]++
		}
	}
	if declared != "" && by[declared] < looked {
		delete(by, declared)
	}
	best := ""
	for _, codec := range slices.Sorted(maps.Keys(by)) {
		if by[codec] > by[best] {
			best = codec
		}
	}
	if best == "" {
		return nil, nil
	}
	return []Finding{{
		Check: readsCheck, Severity: SeverityInfo, Queue: name, Count: int64(by[best]),
		Message: fmt.Sprintf("%s reads %d of the first %s", best, by[best], count(int64(looked), "ready message", "ready messages")),
	}}, nil
}

// reads is which codec reads the payloads, by the examination.
type reads struct{ name, text string }

// reads returns what the examination says of the codec, and takes it out of the findings, since it is
// a part of another sentence.
func (j *judge) reads() (r reads) {
	j.examined = slices.DeleteFunc(slices.Clone(j.examined), func(f Finding) bool {
		if f.Check == readsCheck {
			name, _, _ := strings.Cut(f.Message, " ")
			r = reads{name, f.Message}
		}
		return f.Check == readsCheck
	})
	return r
}
