package queuetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// NotesPartitionsAlone reports whether a key is a queue's control that holds its number of
// partitions and nothing else: a queue keeps that when all its messages are gone.
func NotesPartitionsAlone(t testing.TB, rdb redis.Cmdable, key string) bool {
	t.Helper()
	if !strings.HasPrefix(key, "duequeue:control:") {
		return false
	}
	fields, err := rdb.HKeys(t.Context(), key).Result()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Equal(fields, []string{"partitions"})
}
