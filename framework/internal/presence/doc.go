// Package presence is how Go processes say that they serve a queue, and what they do: for
// people, nothing depends on it. Each process writes a record into a hash, see
// [wire.Keys.Processes], every two thirds of a lease and when something changes, and removes
// it when it stops. One that is killed stays for a lease after it should have written again.
package presence

import (
	"embed"

	"github.com/duequeue/duequeue/framework/internal/script"
)

//go:embed lua
var luaFiles embed.FS

var (
	library     = script.NewLibrary(luaFiles)
	writeScript = library.Script("write")
	readScript  = library.Script("read")
)

// Scripts returns the scripts of those who serve queues.
func Scripts() []*script.Script { return []*script.Script{writeScript, readScript} }
