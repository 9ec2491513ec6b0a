package rediserr

import (
	"regexp"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
)

// passing says whether an answer goes away by itself.
type passing int

const (
	never passing = iota // not before somebody changes the program, the configuration or the data
	soon                 // in a moment: the same call may be sent again at once
	later                // when somebody has repaired the server or the login: worth to wait for
)

// answer is one row of the list of answers that Redis, Valkey and proxies give instead of a
// reply.
type answer struct {
	code    string // the first word; a proxy may put "ERR " before it, Redis 6.2 "… user_script: 1: -"
	part    string // or a part of the text, where the first word says nothing
	kind    fault.Kind
	passes  passing
	leave   bool   // this connection will never answer otherwise: another one may
	example string // the text of a real server
}

// answers is the list. The first row that fits decides. Whoever asks Redis for anything takes
// what passes from here; TestEveryAnswerPasses of package framework feeds each row that passes
// to each of them.
var answers = []answer{
	{"READONLY", "", fault.KindReadOnly, soon, true, "READONLY You can't write against a read only replica."},
	{"", "write against a read only", fault.KindReadOnly, soon, true, "ERR You can't write against a read only instance"},
	{"MOVED", "", fault.KindCluster, soon, false, "MOVED 3999 127.0.0.1:6381"},
	{"ASK", "", fault.KindCluster, soon, false, "ASK 3999 127.0.0.1:6381"},
	{"TRYAGAIN", "", fault.KindCluster, soon, false, "TRYAGAIN Multiple keys request during rehashing of slot"},
	{"CLUSTERDOWN", "", fault.KindCluster, soon, false, "CLUSTERDOWN The cluster is down"},
	{"LOADING", "", fault.KindNotReady, soon, false, "LOADING Redis is loading the dataset in memory"},
	{"MASTERDOWN", "", fault.KindNotReady, soon, true, "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."},
	{"NOREPLICAS", "", fault.KindNotReady, soon, false, "NOREPLICAS Not enough good replicas to write."},
	{"MISCONF", "", fault.KindNotReady, soon, false, "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. " +
		"Commands that may modify the data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails " +
		"(stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."},
	{"", "max number of clients", fault.KindNotReady, soon, false, "ERR max number of clients reached"},
	{"BUSY", "", fault.KindBusy, soon, false, "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE."},
	{"NOSCRIPT", "", fault.KindNoScript, soon, false, "NOSCRIPT No matching script. Please use EVAL."},
	{"UNBLOCKED", "", fault.KindUnblocked, soon, false, "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"},
	{"OOM", "", fault.KindOutOfMemory, later, false, "OOM command not allowed when used memory > 'maxmemory'."},
	{"", "OOM command not allowed", fault.KindOutOfMemory, later, false, "ERR Error running script: OOM command not allowed when used memory > 'maxmemory'."},
	{"WRONGPASS", "", fault.KindAuth, later, false, "WRONGPASS invalid username-password pair or user is disabled."},
	{"NOAUTH", "", fault.KindAuth, later, false, "NOAUTH Authentication required."},
	{"", "invalid password", fault.KindAuth, later, false, "ERR invalid password"},
	{"", "without any password configured", fault.KindAuth, later, false, "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"},
	{"", "unauthenticated", fault.KindAuth, later, false, "ERR Protocol error: unauthenticated multibulk length"},
	{"CROSSSLOT", "", fault.KindCrossSlot, never, false, "CROSSSLOT Keys in request don't hash to the same slot"},
	{"", "CROSSSLOT", fault.KindCrossSlot, never, false, "ERR Error running script: CROSSSLOT Keys in request don't hash to the same slot"},
	{"", "declared in different slots", fault.KindCrossSlot, never, false, "ERR Script attempted to access keys declared in different slots"},
	{"", "unknown command", fault.KindUnsupported, never, false, "ERR unknown command 'HRANDFIELD'"},
	{"", "Unknown Redis command", fault.KindUnsupported, never, false, "ERR Unknown Redis command called from script"},
}

// other is what no row fits.
var other = answer{kind: fault.KindUnknown}

// nestedCode finds the code that Redis 6.2 puts behind its own text where a command inside a
// script fails.
var nestedCode = regexp.MustCompile(`user_script: ?\d+: -?([A-Z]{2,}) `)

var capitals = regexp.MustCompile(`^[A-Z]{3,}$`)

// codeOf returns the word that says what an answer is: the first one, or the next where that
// is the ERR of a proxy, or the one of a command inside a script.
func codeOf(text string) string {
	code, rest, _ := strings.Cut(text, " ")
	if code != "ERR" {
		return code
	}
	if nested := nestedCode.FindStringSubmatch(text); nested != nil {
		return nested[1]
	}
	if next, _, _ := strings.Cut(rest, " "); capitals.MatchString(next) {
		return next
	}
	return code
}

// rowOf returns the row of an answer.
func rowOf(text string) answer {
	code := codeOf(text)
	for _, a := range answers {
		if a.code != "" && a.code == code || a.part != "" && strings.Contains(text, a.part) {
			return a
		}
	}
	return other
}

// Passing returns an example of each answer that passes by itself, for tests that feed all of
// them to whoever asks Redis, in the form of Redis and in that of a proxy.
func Passing() (texts []string) {
	for _, a := range answers {
		if a.passes == never {
			continue
		}
		if texts = append(texts, a.example); a.code != "" {
			texts = append(texts, "ERR "+a.example)
		}
	}
	return texts
}
