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

// KeepLetters makes [TrimDead] leave letters alone that nobody was told of.
func KeepLetters(ctx context.Context, rdb redis.Scripter, k wire.Keys) error {
	_, err := keepLettersScript.Run(ctx, rdb, []string{k.Dead})
	return err
}

// NextLetter hands out a dead letter that nobody was told of, or that was handed out longer ago
// than again and is not marked by [ToldLetter]; ok is false where there is none. From its first
// call on [TrimDead] leaves letters alone that are not marked.
func NextLetter(ctx context.Context, rdb redis.Scripter, k wire.Keys, again time.Duration) (letter redis.XMessage, ok bool, err error) {
	value, err := nextLetterScript.Run(ctx, rdb, []string{k.Dead}, again.Milliseconds())
	if err != nil {
		return redis.XMessage{}, false, err
	}
	r := script.NewReader(nextLetterScript, value)
	if !r.More() {
		return redis.XMessage{}, false, nil
	}
	letter = redis.XMessage{ID: r.Text(), Values: map[string]any{}}
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
