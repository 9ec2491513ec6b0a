package control

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/duequeue/duequeue/framework/fault"
)

// Bounds of a record.
const (
	maxProcesses = 1000 // of a queue
	maxRunning   = 20   // messages that are named
	maxHung      = 5
	maxText      = 64 // bytes
	maxError     = 200
	maxRefused   = 4   // rights
	maxName      = 300 // bytes, of what is refused: a longer one is left out
)

// Record is what a process says of itself and of one queue. Times are ms before it was
// written: its clock may be wrong.
type Record struct {
	Host    string `json:"host"`
	PID     int    `json:"pid"`
	Program string `json:"program"`
	Build   string `json:"build,omitempty"` // version and revision of the program
	Version string `json:"version"`         // of this module
	Up      int64  `json:"up"`              // ms since its engine started

	Policy Policy `json:"policy,omitzero"`

	Codec string `json:"codec,omitempty"` // that it declares

	TransferOnly bool    `json:"transfer,omitempty"`
	Workers      int     `json:"workers,omitempty"` // as declared
	Usable       int     `json:"usable,omitempty"`  // of these, as operators bound them
	Rate         float64 `json:"rate,omitempty"`    // messages a second; 0: no limit

	Intake  string `json:"intake,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Because string `json:"because,omitempty"` // text of a pause

	Handled uint64 `json:"handled,omitempty"` // messages whose handler returned nil, since its engine started
	Failed  uint64 `json:"failed,omitempty"`  // failures that count against the breaker, since then

	Held     int       `json:"held,omitempty"`    // messages that it has: running, or waiting for a worker
	Running  []Running `json:"running,omitempty"` // those that run, the oldest first; some of many
	Hung     []Running `json:"hung,omitempty"`    // those that were given up on; some of many
	Zombies  int       `json:"zombies,omitempty"` // how many these are
	Suspects int       `json:"suspects,omitempty"`

	// User is the Redis user of the process, and Refused what Redis does not permit it: of the queue,
	// and of other queues that it serves and in whose keys it cannot say so.
	User    string    `json:"user,omitempty"`
	Refused []Refusal `json:"refused,omitempty"`

	Early   int64 `json:"early,omitempty"`    // messages that came before they were due, in the last minutes
	EarlyBy int64 `json:"early_by,omitempty"` // ms: by how much at most

	// Error is the last failure that counted against an intake that is not open: its text, and what
	// may be shown to everybody of it.
	Error     string `json:"error,omitempty"`
	ErrorKind string `json:"error_kind,omitempty"`
}

// Refusal is a right that the Redis user of a process lacks: at most one is set, none where Redis does
// not say which key it is.
type Refusal struct {
	Command string `json:"command,omitempty"`
	Key     string `json:"key,omitempty"`
	Channel string `json:"channel,omitempty"`
}

// RefusalOf returns what an error of Redis refuses.
func RefusalOf(err error) (r Refusal, refused bool) {
	denied, refused := errors.AsType[*fault.PermissionError](err)
	switch {
	case !refused:
	case denied.Command != "":
		r.Command = denied.Command
	case denied.Channel != "":
		r.Channel = denied.Channel
	default:
		r.Key = denied.Key
	}
	return r, refused
}

// Running is a message that a handler has; of a batch the first one.
type Running struct {
	ID      string `json:"id,omitempty"`
	Digest  string `json:"digest,omitempty"` // where the ID is not known
	Attempt int    `json:"attempt,omitempty"`
	Hangs   int    `json:"hangs,omitempty"` // times that its handler hung, now included
	For     int64  `json:"for"`             // ms
	Alone   bool   `json:"alone,omitempty"` // a suspect
}

// program is what all records of a process have in common.
var program = sync.OnceValue(func() Record {
	host, _ := os.Hostname() // "" is shown as unknown
	r := Record{Host: cut(host), PID: os.Getpid(), Program: cut(filepath.Base(os.Args[0])), Version: "(devel)"}
	if info, ok := debug.ReadBuildInfo(); ok {
		r.Build, r.Version = versions(info)
	}
	return r
})

// versions returns what a program was built of: its own version, with the revision where the
// version does not contain it, and the version of this module.
func versions(info *debug.BuildInfo) (program, module string) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	program, module = info.Main.Version, "(devel)"
	revision := settings["vcs.revision"]
	revision = revision[:min(len(revision), 12)] // as in Go's pseudo-versions
	if revision != "" && !strings.Contains(program, revision) {
		program = strings.TrimSpace(program + " " + revision)
	}
	if settings["vcs.modified"] == "true" && !strings.Contains(program, "+dirty") {
		program += "+dirty" // as Go marks it
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path == "github.com/duequeue/duequeue" {
			module = m.Version
		}
	}
	return cut(program), cut(module)
}

// text is the record as it is written.
func (r Record) text() string {
	p := program()
	r.Host, r.PID, r.Program, r.Build, r.Version = p.Host, p.PID, p.Program, p.Build, p.Version
	r.Because, r.User, r.Codec = cut(r.Because), cut(r.User), cut(r.Codec)
	r.Refused = slices.DeleteFunc(slices.Clone(r.Refused), func(o Refusal) bool { return len(o.Command)+len(o.Key)+len(o.Channel) > maxName })
	r.Refused = r.Refused[:min(len(r.Refused), maxRefused)]
	r.Error, r.ErrorKind = r.Error[:min(len(r.Error), maxError)], r.ErrorKind[:min(len(r.ErrorKind), maxError)]
	r.Running, r.Hung = r.Running[:min(len(r.Running), maxRunning)], r.Hung[:min(len(r.Hung), maxHung)]
	out, err := json.Marshal(r)
	if err != nil { // a rate that is no number
		return "{}"
	}
	return string(out)
}

func cut(text string) string { return text[:min(len(text), maxText)] }
