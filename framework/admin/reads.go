package admin

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/queue/delayed"
	"github.com/duequeue/duequeue/framework/internal/queue/partitions"
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
	best := mostOf(by)
	if best == "" {
		return nil, nil
	}
	return []Finding{{
		Check: readsCheck, Severity: SeverityInfo, Queue: name, Count: int64(by[best]),
		Message: fmt.Sprintf("%s reads %d of the first %s", best, by[best], count(int64(looked), "ready message", "ready messages")),
	}}, nil
}

// mostOf returns the name that is counted most often, of several the first by name; "" without one.
func mostOf[N int | int64](by map[string]N) string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if by[name] > by[best] {
			best = name
		}
	}
	return best
}

// take returns what the examination says for the sentence on something else, and takes it out of the
// findings.
func (j *judge) take(check string) (part Finding) {
	j.examined = slices.DeleteFunc(slices.Clone(j.examined), func(f Finding) bool {
		if f.Check == check {
			part = f
		}
		return f.Check == check
	})
	return part
}

// reads is the codec that reads the payloads, "" where that is not known.
func (j *judge) reads() string {
	name, _, _ := strings.Cut(j.codec.Message, " ")
	return name
}

// reasonsCheck is the check of what is part of the sentence on dead letters, reasonsMost how many of them
// are looked at.
const (
	reasonsCheck = "reasons"
	reasonsMost  = 100
)

// findReasons says which reason most of the dead letters have, of the oldest ones where there are many.
func findReasons(ctx context.Context, rdb redisapi.Client, all []wire.Keys, name string) ([]Finding, error) {
	w, err := partitions.WalkDead(ctx, rdb, all, partitions.DeadBounds{Stop: true, Most: 1})
	by, newest, looked := map[string]int64{}, map[string]string{}, int64(0)
	for err == nil && looked < reasonsMost {
		var page []partitions.Letter
		if page, err = w.Next(ctx, reasonsMost-looked); len(page) == 0 {
			break
		}
		for _, l := range page {
			reason, _ := l.Values["reason"].(string)
			by[reason]++
			newest[reason], looked = l.Text(), looked+1
		}
	}
	best := mostOf(by)
	if err != nil || best == "" {
		return nil, err
	}
	of := ""
	if looked == reasonsMost {
		of = fmt.Sprintf("of the oldest %d ", reasonsMost)
	}
	return []Finding{{
		Check: reasonsCheck, Severity: SeverityInfo, Queue: name, Count: by[best], State: best,
		Message: fmt.Sprintf("%s%d with the reason %s", of, by[best], codecs.Printable(best, mostReason)), Command: "duequeue dead show " + shellName(name) + " " + newest[best],
	}}, nil
}

// mostReason bounds a reason in a sentence: another program may write to the store.
const mostReason = 64

// otherCodec is what to do where messages are of another codec.
func (j *judge) otherCodec() string {
	bury := j.command("dead bury -reason 'another codec' -limit 10")
	if j.reads() == "" {
		return "this command shows what they are: declare the codec that it names, or codecs.AnyOf with both; or move the ten next messages to the dead store with " + bury
	}
	bury = j.command("dead bury -reason 'another codec' -codec " + j.reads())
	return "declare " + j.reads() + ", or codecs.AnyOf with both; or move the messages that it reads to the dead store with " + bury
}
