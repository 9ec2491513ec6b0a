package redissonconfig

import (
	_ "embed" // for the table
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/framework/fault"
)

// settingsTable is what the released jars accept. The integration module writes it, and compares.
//
//go:embed settings.tsv
var settingsTable string

// row is a setting that some release knows.
type row struct {
	section, name, kind string
	first, last         release
}

// rootSection is the file as a whole.
const rootSection = "config"

// serverSections say where the servers are, in the order in which Redisson looks for them.
var serverSections = []string{"masterSlaveServersConfig", "singleServerConfig", "sentinelServersConfig", "clusterServersConfig", "replicatedServersConfig", "elasticacheServersConfig"}

func isServers(name string) bool { return slices.Contains(serverSections, name) }

// table returns the settings by section and name, with a dot between.
var table = sync.OnceValue(func() map[string]row {
	out := map[string]row{}
	for line := range strings.Lines(settingsTable) {
		if c := strings.Split(strings.TrimSpace(line), "\t"); len(c) == 5 {
			out[c[0]+"."+c[1]] = row{section: c[0], name: c[1], kind: c[2], first: mustRelease(c[3]), last: mustRelease(c[4])}
		}
	}
	return out
})

// testedReleases are those whose jars were asked, oldest first.
var testedReleases = func() []release {
	_, line, _ := strings.Cut(settingsTable, "# releases ")
	line, _, _ = strings.Cut(line, "\n")
	var out []release
	for text := range strings.FieldsSeq(line) {
		out = append(out, mustRelease(text))
	}
	return out
}()

func namesOf(section string) []string {
	var out []string
	for _, r := range table() {
		if r.section == section {
			out = append(out, r.name)
		}
	}
	slices.Sort(out)
	return out
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

// has reports whether a release accepts a setting. Between two tested ones it may be new or
// gone already: then it has what either has.
func (r release) has(s row) bool {
	if r == (release{}) {
		return true
	}
	below, above := testedReleases[0], testedReleases[len(testedReleases)-1]
	for _, t := range testedReleases {
		if !r.before(t) {
			below = t
		}
	}
	for _, t := range slices.Backward(testedReleases) {
		if !t.before(r) {
			above = t
		}
	}
	return !above.before(s.first) && !s.last.before(below)
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

// mustRelease is for our own table.
func mustRelease(text string) release {
	r, err := parseRelease(text)
	if err != nil {
		panic(err)
	}
	return r
}
