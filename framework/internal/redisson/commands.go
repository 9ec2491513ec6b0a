package redisson

import (
	"regexp"
	"slices"
)

// A call in a script: redis.call('X', …), call('X', …), pcall(redis.call, 'X', …) and
// spread('X', …), which calls it in parts.
var scriptCall = regexp.MustCompile(`(?:call\(|redis\.call, |spread\()'([A-Z]+)'`)

// Commands returns the commands that the script may run, sorted, as its source names
// them: what a user must be allowed besides EVAL and EVALSHA.
func (s *Script) Commands() []string {
	var names []string
	for _, m := range scriptCall.FindAllStringSubmatch(s.src, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OfferScripts returns the scripts of those who only offer: offers of every kind,
// cancelling and rescheduling, and looking at what is there.
func OfferScripts() []*Script {
	return []*Script{
		offerScript, offerAllScript, offerOnceScript, pushScript, cancelScript, rescheduleScript, countsScript, pageScript, sampleScript,
	}
}

// ServeScripts returns what those need besides who handle messages or transfer them.
func ServeScripts() []*Script {
	return []*Script{transferScript, probeKeyScript, probePublishScript, trimDeadScript}
}

// OperateScripts returns what those need besides who mend queues.
func OperateScripts() []*Script {
	return []*Script{redriveScript, ghostsScript, listPageScript, pollPendingScript, clearScript, clearedScript, removeReadyScript, migrateScript}
}
