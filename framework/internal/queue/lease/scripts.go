package lease

import (
	"embed"

	"github.com/duequeue/duequeue/framework/internal/script"
)

//go:embed lua
var luaFiles embed.FS

var library = script.NewLibrary(luaFiles)

var (
	takeScript      = library.Script("take")
	ackScript       = library.Script("ack")
	renewScript     = library.Script("renew")
	nackScript      = library.Script("nack")
	deadScript      = library.Script("dead")
	releaseScript   = library.Script("release")
	handbackScript  = library.Script("handback")
	restoreScript   = library.Script("restore")
	forbidScript    = library.Script("forbid")
	findReadyScript = library.Script("findready")
	findDeadScript  = library.Script("finddead")
	lookScript      = library.Script("look")
	nameScript      = library.Script("name")
	suspectScript   = library.Script("suspect")
	forgetScript    = library.Script("forget")
	heldScript      = library.Script("held")
	fetchScript     = library.Script("fetch")
)

// Scripts returns all scripts of this package, for the probe of permissions at
// start-up.
func Scripts() []*script.Script {
	return []*script.Script{
		takeScript, ackScript, renewScript, nackScript, deadScript, releaseScript,
		handbackScript, restoreScript, lookScript, nameScript, suspectScript, forgetScript, heldScript,
	}
}

// FindScripts returns what [Find] and [Fetch.Messages] run.
func FindScripts() []*script.Script {
	return []*script.Script{findReadyScript, forbidScript, findDeadScript, fetchScript}
}
