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
	takeScript     = takeSource()
	ackScript      = script("ack", "", "base settle")
	renewScript    = script("renew", "clock", "")
	nackScript     = script("nack", "types clock refusal digest records due trace element attempts dead", "base hash header giveback")
	deadScript     = script("dead", "types clock refusal digest records due attempts dead", "base hash header giveback")
	releaseScript  = script("release", "types clock refusal digest records due attempts dead", "base hash header giveback")
	handbackScript = script("handback", "types clock digest records due attempts dead", "base hash header giveback")
	refundScript   = script("refund", "types clock attempts", "base hash")
	restoreScript  = script("restore", "types clock digest records due trace attempts dead", "base hash header giveback")
	lookScript     = script("look", "clock", "")
	suspectScript  = script("suspect", "", "base hash")
	forgetScript   = script("forget", "types clock attempts", "base hash")
)

// script joins shared fragments, fragments of this package and the script itself.
func script(name, shared, own string) *redisson.Script {
	return redisson.NewScript(name, redisson.Fragment(strings.Fields(shared)...)+lua(own)+lua(name))
}

// takeSource puts the parts of take that few batches need into functions, together
// with the fragments they use: Lua makes each helper anew whenever a script runs,
// which would cost a plain take of one message more than its work.
func takeSource() *redisson.Script {
	return redisson.NewScript("take", lua("base settle")+
		"local function choose(bodies, max_payload, max_batch, due_on, now)\n"+
		redisson.Fragment("clock", "digest", "records", "due", "trace", "attempts", "dead")+
		lua("hash header giveback counters choose")+
		"end\nlocal function again(list, now)\n"+
		redisson.Fragment("attempts")+lua("hash header counters again")+
		"end\n"+lua("take"))
}

// lua returns files of this package, joined.
func lua(names string) string {
	var b strings.Builder
	for _, f := range strings.Fields(names) {
		src, err := luaFiles.ReadFile("lua/" + f + ".lua")
		if err != nil {
			panic("lease: embedded Lua " + f + ": " + err.Error())
		}
		b.Write(src)
	}
	return b.String()
}

// Scripts returns all scripts of this package, for the probe of permissions at
// start-up.
func Scripts() []*redisson.Script {
	return []*redisson.Script{
		takeScript, ackScript, renewScript, nackScript, deadScript, releaseScript,
		handbackScript, refundScript, restoreScript, lookScript, suspectScript, forgetScript,
	}
}
