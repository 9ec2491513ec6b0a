package delayed

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/script"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

var (
	keepLettersScript = library.Script("keepletters")
	nextLetterScript  = library.Script("nextletter")
	toldLetterScript  = library.Script("toldletter")
)

// TellScripts returns the scripts that tell of dead letters.
func TellScripts() []*script.Script {
	return []*script.Script{keepLettersScript, nextLetterScript, toldLetterScript}
}

// KeepLetters makes [TrimDead] pass over letters that nobody was told of.
func KeepLetters(ctx context.Context, rdb redis.Scripter, k wire.Keys) error {
	_, err := keepLettersScript.Run(ctx, rdb, []string{k.Dead})
	return err
}

// LetterTurn says which letter is to be handed out. The caller keeps it from call to call.
type LetterTurn struct {
	Again   time.Duration // behind the first time that a letter was handed out and not told of
	Longest time.Duration // Again doubles behind each further time, up to this

	WaitingFirst bool   // letters that were handed out before, and whose time has come, before new ones
	after        string // where to look for them
}

// Letter is a dead letter that is handed out.
type Letter struct {
	redis.XMessage

	Times int64 // that it was handed out, with this one
}

// NextLetter hands out a dead letter that nobody was told of, or that was handed out before and is
// not marked by [ToldLetter]; ok is false where there is none. It looks at some of the latter, and
// goes on there at the next call: one alone does not find all. From its first
// call on [TrimDead] passes over letters that are not marked.
func NextLetter(ctx context.Context, rdb redis.Scripter, k wire.Keys, turn *LetterTurn) (letter Letter, ok bool, err error) {
	first := 0
	if turn.WaitingFirst {
		first = 1
	}
	value, err := nextLetterScript.Run(ctx, rdb, []string{k.Dead}, turn.Again.Milliseconds(), turn.Longest.Milliseconds(), first, turn.after)
	if err != nil {
		return Letter{}, false, err
	}
	r := script.NewReader(nextLetterScript, value)
	turn.after = r.Text()
	if !r.More() {
		return Letter{}, false, r.Err()
	}
	letter.Times = r.Integer()
	letter.XMessage = redis.XMessage{ID: r.Text(), Values: map[string]any{}}
	for fields := r.Array(); fields.More(); {
		name := fields.Text()
		letter.Values[name] = fields.Text()
	}
	return letter, true, r.Err()
}

// ToldLetter marks a letter as told.
func ToldLetter(ctx context.Context, rdb redis.Scripter, k wire.Keys, entry string) error {
	_, err := toldLetterScript.Run(ctx, rdb, []string{k.Dead}, entry)
	return err
}
