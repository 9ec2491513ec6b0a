package lease

import (
	"embed"
	"strings"

	"github.com/duequeue/duequeue/framework/internal/redisson"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// The fragments of each script stand in its header as well.
var (
	takeScript     = script("take", "clock digest records due trace attempts dead", "base header giveback settle")
	ackScript      = script("ack", "", "base settle")
	renewScript    = script("renew", "clock", "")
	nackScript     = script("nack", "types clock digest records due trace element attempts dead", "base header giveback")
	deadScript     = script("dead", "types clock digest records due attempts dead", "base header giveback")
	releaseScript  = script("release", "types clock digest records due attempts dead", "base header giveback")
	handbackScript = script("handback", "types clock digest records due attempts dead", "base header giveback")
	refundScript   = script("refund", "types attempts", "base")
	restoreScript  = script("restore", "types clock digest records due trace attempts dead", "base header giveback")
	lookScript     = script("look", "clock", "")
)

// script joins shared fragments, fragments of this package and the script itself.
func script(name, shared, own string) *redisson.Script {
	var b strings.Builder
	b.WriteString(redisson.Fragment(strings.Fields(shared)...))
	for _, f := range append(strings.Fields(own), name) {
		src, err := luaFiles.ReadFile("lua/" + f + ".lua")
		if err != nil {
			panic("lease: embedded Lua " + f + ": " + err.Error())
		}
		b.Write(src)
	}
	return redisson.NewScript(name, b.String())
}

// Scripts returns all scripts of this package, for the probe of permissions at
// start-up.
func Scripts() []*redisson.Script {
	return []*redisson.Script{
		takeScript, ackScript, renewScript, nackScript, deadScript, releaseScript,
		handbackScript, refundScript, restoreScript, lookScript,
	}
}
