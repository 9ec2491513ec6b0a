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
)

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
	code := codeOf(text)
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
	return &fault.ServerError{Kind: rowOf(text).kind, Script: name, Err: err}
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

// IsTransient reports whether err may go away in a moment: the network, a server that is
// loading, failing over, moving slots or busy. Wrong types, missing permissions, a full Redis,
// a refused login and the caller's own cancelled context are not. Who has time asks [MayPass].
func IsTransient(err error) bool { return passes(err) == soon }

// MayPass reports whether err may go away without a change of this program: what [IsTransient]
// reports, a full Redis, which may be drained, and a refused login, since passwords rotate.
// Who waits for a server, or works until it is stopped, goes on.
func MayPass(err error) bool { return passes(err) != never }

func passes(err error) passing {
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, new(*fault.PermissionError)) || errors.As(err, new(*fault.WrongTypeError)) {
		return never
	}
	text, answered := answerOf(err)
	switch {
	case !answered && IsNetwork(err):
		return soon
	case !answered:
		return never
	}
	switch Classify("", Answer(text)).(type) { //nolint:errorlint // Classify has made it
	case *fault.PermissionError, *fault.WrongTypeError:
		return never
	}
	return rowOf(text).passes
}

// Leave reports whether err is an answer that this connection gives again and again while a new
// one may lead elsewhere, or log in: whoever keeps connections drops it.
func Leave(err error) bool {
	text, answered := answerOf(err)
	return answered && rowOf(text).leave
}

// answerOf returns what Redis answered.
func answerOf(err error) (text string, answered bool) {
	var answer redis.Error
	if err == nil || errors.Is(err, redis.Nil) || !errors.As(err, &answer) {
		return "", false
	}
	return answer.Error(), true
}

// NotSentError is an error of a command that was not sent: its outcome is known, it did nothing.
// Dialing, TLS, the login or the wait for a connection failed.
type NotSentError struct{ Err error }

// Error returns the text of the cause.
func (e *NotSentError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *NotSentError) Unwrap() error { return e.Err }

// IsAmbiguous reports whether a command that failed with err may nevertheless
// have been executed: the connection broke or the wait ended after it was sent.
// An answer of the server, a failed dial and an exhausted pool are not.
func IsAmbiguous(err error) bool {
	var answered redis.Error
	var dial *net.OpError
	switch {
	case err == nil, errors.As(err, &answered), errors.As(err, new(*NotSentError)):
		return false
	case errors.As(err, &dial) && dial.Op == "dial":
		return false
	case errors.Is(err, redis.ErrPoolTimeout), errors.Is(err, redis.ErrPoolExhausted), errors.Is(err, redis.ErrClosed):
		return false
	default:
		return true
	}
}

// IsNetwork reports errors of the connection, of its making, or of the pool.
func IsNetwork(err error) bool {
	if errors.Is(err, redis.ErrClosed) {
		return false
	}
	var netErr net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, redis.ErrPoolTimeout) || errors.As(err, new(*NotSentError)) || errors.As(err, &netErr)
}
