package redissonconfig

import (
	_ "embed" // for the table
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

//go:embed settings.tsv
var settingsTable string

// row is a setting that decides about something here.
type row struct {
	name, kind string
	root       bool // the file has it at its root, too
}

// kept are the settings of the table by their names.
var kept = func() map[string]row {
	out := map[string]row{}
	for line := range strings.Lines(settingsTable) {
		if c := strings.Split(strings.TrimSpace(line), "\t"); len(c) > 1 {
			out[c[0]] = row{name: c[0], kind: c[1], root: len(c) > 2}
		}
	}
	return out
}()

// serverSections say where the servers are.
var serverSections = []string{"singleServerConfig", "masterSlaveServersConfig", "sentinelServersConfig", "clusterServersConfig", "replicatedServersConfig"}

// meant returns the kept setting of which a name is a misspelling, or "". No setting of Redisson
// differs from a kept one in two letters or fewer.
func meant(name string) string {
	for _, known := range slices.Sorted(maps.Keys(kept)) {
		if config.Distance(strings.ToLower(name), strings.ToLower(known)) <= 2 {
			return known
		}
	}
	return ""
}

// release is a release of Redisson; the zero value is any.
type release [3]int

func (r release) String() string {
	return strconv.Itoa(r[0]) + "." + strconv.Itoa(r[1]) + "." + strconv.Itoa(r[2])
}

// before reports whether it is a release, and older than another.
func (r release) before(other release) bool {
	return r != release{} && slices.Compare(r[:], other[:]) < 0
}

func parseRelease(text string) (release, *fault.ConfigError) {
	if text == "" {
		return release{}, nil
	}
	var out release
	parts := strings.Split(text, ".")
	wrong := len(parts) < 2 || len(parts) > len(out)
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if wrong = wrong || err != nil; !wrong {
			out[i] = int(n)
		}
	}
	if wrong || out.before(release{3, 8, 0}) || !out.before(release{5, 0, 0}) {
		return out, &fault.ConfigError{Field: "release", Value: text, Reason: "must be a release of Redisson from 3.8.0 on, such as 3.18.1"}
	}
	return out, nil
}
