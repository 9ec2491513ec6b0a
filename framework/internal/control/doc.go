// Package control is how operators steer all Go processes of a queue at once: they pause it,
// with a reason and perhaps an end, and bound rate and workers of each process. What they
// have set lies in a hash, see [wire.Keys.Control], and lasts until it is taken back or its
// end is reached by the clock of Redis. Java knows nothing of it.
//
//	settings.go, parse.go   what can be set, and how it is read
//	change.go               setting it
//	note.go                 what processes note of themselves beside it
//	follow.go               how a process learns of changes
//
// A change carries a new version, a text that never returns. A process learns of it by a
// message on [wire.ControlChannel], or by the version that each transfer brings, or else
// because it has heard nothing for a while; then it reads the hash.
package control

import (
	"embed"

	"github.com/duequeue/duequeue/framework/internal/script"
)

//go:embed lua
var luaFiles embed.FS

var (
	library      = script.NewLibrary(luaFiles)
	lookScript   = library.Script("look")
	changeScript = library.Script("change")
	noteScript   = library.Script("note")
)

// OfferScripts returns the scripts of those who only offer.
func OfferScripts() []*script.Script { return []*script.Script{noteScript} }

// Scripts returns the scripts of those who serve queues.
func Scripts() []*script.Script { return []*script.Script{lookScript} }

// OperateScripts returns what those need besides who steer processes.
func OperateScripts() []*script.Script { return []*script.Script{changeScript} }
