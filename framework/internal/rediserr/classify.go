package rediserr

import (
	"context"
	"errors"
	"io"
	"net"
	"regexp"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/duequeue/duequeue/framework/fault"
)

var (
	// Our own wrong_type of fragment types.
	wrongTypeText = regexp.MustCompile(`WRONGTYPE want=(\S+) got=(\S+) key=(.*)$`)
	// Redis says at which line of the script a command failed.
	scriptLine = regexp.MustCompile(`@?user_script: ?(\d+)`)
	// The command that a line of Lua calls.
	luaCommand = regexp.MustCompile(`redis\.p?call\('([A-Z]+)'`)
	// Redis 7.2 and later name the command, in and out of scripts.
	noPermCommand = regexp.MustCompile(`no permissions to run the '([^']+)' command`)
	// Our own refusal of fragment refusal.
	refusalCommand = regexp.MustCompile(`command=([A-Z]+)$`)
	// Redis 6.2 puts errors of commands inside a script behind its own text.
	nestedCode = regexp.MustCompile(`user_script: ?\d+: -?([A-Z]{2,}) `)
)

// kindByCode sorts errors by their first word.
var kindByCode = map[string]fault.Kind{
	"OOM": fault.KindOutOfMemory, "READONLY": fault.KindReadOnly,
	"MOVED": fault.KindCluster, "ASK": fault.KindCluster, "TRYAGAIN": fault.KindCluster, "CLUSTERDOWN": fault.KindCluster,
	"CROSSSLOT": fault.KindCrossSlot,
	"LOADING":   fault.KindNotReady, "MASTERDOWN": fault.KindNotReady, "NOREPLICAS": fault.KindNotReady,
	"BUSY": fault.KindBusy, "NOSCRIPT": fault.KindNoScript,
	"NOAUTH": fault.KindAuth, "WRONGPASS": fault.KindAuth, "UNBLOCKED": fault.KindUnblocked,
}

// kindByText sorts errors that start with ERR or, on Redis 6.2, hide their code.
var kindByText = []struct {
	text string
	kind fault.Kind
}{
	{"OOM command not allowed", fault.KindOutOfMemory},
	{"write against a read only replica", fault.KindReadOnly},
	{"max number of clients", fault.KindNotReady},
	{"unknown command", fault.KindUnsupported},
	{"Unknown Redis command", fault.KindUnsupported},
	{"declared in different slots", fault.KindCrossSlot},
	{"CROSSSLOT", fault.KindCrossSlot},
}

// Classify returns err typed: a [*fault.WrongTypeError], a [*fault.PermissionError] or a [*fault.ServerError]
// when Redis answered it, otherwise err itself. name is the command it came from.
func Classify(name string, err error) error {
	return ClassifyScript(name, "", err)
}

// ClassifyScript is [Classify] for a script, whose source tells the command where Redis
// names the line alone.
func ClassifyScript(name, src string, err error) error {
	_, err = cutAnswer(err)
	var answered redis.Error
	if err == nil || errors.Is(err, redis.Nil) || !errors.As(err, &answered) {
		return err
	}
	text := answered.Error()
	code, _, _ := strings.Cut(text, " ")
	if nested := nestedCode.FindStringSubmatch(text); nested != nil && code == "ERR" {
		code = nested[1]
	}
	if m := wrongTypeText.FindStringSubmatch(text); m != nil {
		return &fault.WrongTypeError{Want: m[1], Got: m[2], Key: m[3], Script: name, Err: err}
	}
	if code == "WRONGTYPE" {
		return &fault.WrongTypeError{Script: name, Err: err}
	}
	if denied := permission(name, src, code, text); denied != nil {
		denied.Err = err
		return denied
	}
	kind := kindByCode[code]
	if kind == fault.KindUnknown {
		for _, c := range kindByText {
			if strings.Contains(text, c.text) {
				kind = c.kind
				break
			}
		}
	}
	return &fault.ServerError{Kind: kind, Script: name, Err: err}
}

// permission recognises refusals of all versions: NOPERM, and the sentences that
// Redis 6.2 and 7.0 use inside scripts, which name only the line.
func permission(name, src, code, text string) *fault.PermissionError {
	if code != "NOPERM" && !strings.Contains(text, "The user executing the script can't") &&
		!strings.Contains(text, "ACL failure in script") {
		return nil
	}
	e := &fault.PermissionError{Script: name}
	if m := noPermCommand.FindStringSubmatch(text); m != nil {
		e.Command = strings.ToUpper(m[1])
		return e
	}
	if m := refusalCommand.FindStringSubmatch(text); m != nil {
		e.Command = m[1]
		return e
	}
	if m := scriptLine.FindStringSubmatch(text); m != nil && strings.Contains(text, "can't run this command") {
		e.Command = commandAt(src, m[1])
	}
	return e
}

// commandAt returns the command that a line of a script calls.
func commandAt(src, line string) string {
	n, err := strconv.Atoi(line)
	lines := strings.Split(src, "\n")
	if err != nil || n < 1 || n > len(lines) {
		return ""
	}
	if m := luaCommand.FindStringSubmatch(lines[n-1]); m != nil {
		return m[1]
	}
	return ""
}

// IsNoScript reports whether Redis does not hold the script: it ran nothing.
func IsNoScript(err error) bool {
	return err != nil && (errors.Is(err, redis.ErrNoScript) || redis.HasErrorPrefix(err, "NOSCRIPT"))
}

// IsTransient reports whether err may go away by itself: the network, a server
// that is loading, failing over, moving slots or busy. Wrong types, missing
// permissions, a full Redis and the caller's own cancelled context are not.
func IsTransient(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var server *fault.ServerError
	if errors.As(Classify("", err), &server) {
		switch server.Kind {
		case fault.KindReadOnly, fault.KindCluster, fault.KindNotReady, fault.KindBusy, fault.KindNoScript, fault.KindUnblocked:
			return true
		default:
			return false
		}
	}
	return IsNetwork(err)
}

// IsAmbiguous reports whether a command that failed with err may nevertheless
// have been executed: the connection broke or the wait ended after it was sent.
// An answer of the server, a failed dial and an exhausted pool are not.
func IsAmbiguous(err error) bool {
	var answered redis.Error
	var dial *net.OpError
	switch {
	case err == nil, errors.As(err, &answered):
		return false
	case errors.As(err, &dial) && dial.Op == "dial":
		return false
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted), errors.Is(err, redis.ErrClosed):
		return false
	default:
		return true
	}
}

// IsNetwork reports errors of the connection, the dial or the pool.
func IsNetwork(err error) bool {
	var netErr net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, redis.ErrPoolTimeout) || errors.As(err, &netErr)
}
