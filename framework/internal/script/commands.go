package script

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
