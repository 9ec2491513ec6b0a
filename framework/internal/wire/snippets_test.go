package wire_test

import (
	"embed"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/internal/queuetest"
	"github.com/duequeue/duequeue/framework/internal/script"
)

// snippet returns a script behind the fragments that it needs.
func snippet(needs, body string) *script.Script {
	return library.New("snippet", "-- snippet: of a test.\n-- Needs: "+needs+"\n"+body)
}

// lua runs a snippet and returns its reply.
func lua(t *testing.T, rdb *redis.Client, needs, body string, keys []string, args ...any) any {
	t.Helper()
	return queuetest.Must[any](t)(snippet(needs, body).Run(t.Context(), rdb, keys, args...))
}

// library has the fragments that scripts of all packages share.
var library = script.NewLibrary(embed.FS{})
