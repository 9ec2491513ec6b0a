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
	takeScript      = takeSource()
	ackScript       = redisson.NewScript("ack", forgetFields()+lua("base settle ack"))
	renewScript     = script("renew", "clock", "")
	nackScript      = script("nack", "types clock refusal digest expire trace element index attempts hex idtext dead", "base hash header giveback")
	deadScript      = script("dead", "types clock refusal digest expire index attempts hex idtext dead", "base hash header giveback")
	releaseScript   = script("release", "types clock refusal digest expire due trace index attempts hex idtext dead", "base hash header giveback")
	handbackScript  = script("handback", "types clock digest expire due trace index attempts hex idtext dead", "base hash header giveback")
	restoreScript   = script("restore", "types clock digest expire due trace index attempts hex idtext dead", "base hash header giveback")
	forbidScript    = script("forbid", "clock stopwatch expire index attempts hex", "base hash header")
	findReadyScript = script("findready", "types clock stopwatch expire index attempts", "base hash")
	findDeadScript  = script("finddead", "types clock stopwatch", "")
	lookScript      = script("look", "clock", "")
	nameScript      = script("name", "", "base")
	suspectScript   = script("suspect", "", "base hash")
	forgetScript    = script("forget", "types clock expire index attempts", "base hash")
	heldScript      = script("held", "types", "base hash")
)

// script joins shared fragments, fragments of this package and the script itself.
func script(name, shared, own string) *redisson.Script {
	return redisson.NewScript(name, redisson.Fragment(strings.Fields(shared)...)+lua(own)+lua(name))
}

// takeSource puts the parts of take that few batches need into functions, together
// with the fragments they use: Lua makes each helper anew whenever a script runs,
// which would cost a plain take of one message more than its work.
func takeSource() *redisson.Script {
	return redisson.NewScript("take", forgetFields()+lua("base settle")+
		"local function choose(bodies, max_payload, max_batch, due_on, now, staged, ready, place, slots, since)\n"+
		redisson.Fragment("clock", "digest", "expire", "due", "trace", "element", "index", "attempts", "hex", "idtext", "dead")+
		lua("hash header giveback counters dueat choose")+
		"end\nlocal function again(list, now)\n"+
		redisson.Fragment("expire", "index", "attempts", "hex", "idtext")+lua("hash header counters again")+
		"end\nlocal function align(bodies, staged, ready, now, since)\n"+
		redisson.Fragment("expire", "due")+lua("align")+
		"end\nlocal function untried(queue, only)\n"+
		redisson.Fragment("expire", "index")+lua("untried")+
		"end\n"+lua("take"))
}

// forgetFields is the function that fragment settle needs.
func forgetFields() string {
	return "local function forget_fields(attempts, names, ids, fields)\n" +
		redisson.Fragment("expire", "index", "attempts", "hex") + lua("fields") + "end\n"
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
		handbackScript, restoreScript, lookScript, nameScript, suspectScript, forgetScript, heldScript,
	}
}

// FindScripts returns what [Find] runs.
func FindScripts() []*redisson.Script {
	return []*redisson.Script{findReadyScript, forbidScript, findDeadScript}
}
