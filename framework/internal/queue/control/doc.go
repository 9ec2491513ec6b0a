// Package control is what operators and processes know of each other: what operators set for all Go
// processes of a queue, what the processes say of themselves, how far changes of many messages are,
// and what was done by tools. Java knows nothing of it.
//
//	settings.go, parse.go   what can be set, and how it is read
//	change.go               setting it
//	note.go                 what processes note of themselves beside it
//	follow.go               how a process learns of changes
//	announce.go, record.go  what a process says of itself, and when
//	processes.go, policy.go reading it, and comparing how processes are configured
//	changes.go              changes of many messages that have not come to their end
//	audit.go, audittrim.go  what people have done by tools
//
// Operators pause all processes of a queue, with a reason and perhaps an end, and bound rate and
// workers of each. What they have set lies in a hash, see [wire.Keys.Control], and lasts until it is
// taken back or its end is reached by the clock of Redis. A change carries a new version, a text that
// never returns. A process learns of it by a message on [wire.ControlChannel], or by the version that
// each transfer brings, or else because it has heard nothing for a while; then it reads the hash.
//
// Processes say that they serve a queue, and what they do, for people alone: nothing depends on it.
// Each writes a record into a hash, see [wire.Keys.Processes], every two thirds of a lease and when
// something changes, and removes it when it stops. One that is killed stays for a lease after it
// should have written again.
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

	presenceScript  = library.Script("presencewrite")
	processesScript = library.Script("presenceread")
)

// OfferScripts returns the scripts of those who only offer.
func OfferScripts() []*script.Script { return []*script.Script{noteScript} }

// Scripts returns the scripts of those who serve queues.
func Scripts() []*script.Script { return []*script.Script{lookScript, presenceScript, processesScript} }

// OperateScripts returns what those need besides who steer processes.
func OperateScripts() []*script.Script {
	return []*script.Script{changeScript, auditScript, saveChangeScript, listChangesScript}
}
