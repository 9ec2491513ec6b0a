package fault

import (
	"fmt"
	"strings"
)

// Kind sorts the errors that Redis itself answered.
type Kind int

// The kinds of server error.
const (
	KindUnknown     Kind = iota // none of the others
	KindOutOfMemory             // maxmemory is reached and the command needs room
	KindReadOnly                // the server is a replica
	KindCluster                 // MOVED, ASK, TRYAGAIN, CLUSTERDOWN: slots are moving
	KindCrossSlot               // keys of one call lie in different slots
	KindNotReady                // LOADING, MASTERDOWN, NOREPLICAS, MISCONF, too many clients
	KindBusy                    // another script has been running too long
	KindNoScript                // the script is not cached; never seen by callers of Run
	KindAuth                    // wrong or missing password
	KindUnblocked               // a blocking call was ended by the server
	KindUnsupported             // the server does not know the command
)

var kindNames = [...]string{
	"unknown", "out of memory", "read only", "cluster", "cross slot", "not ready",
	"busy", "no script", "auth", "unblocked", "unsupported",
}

// String returns the kind in words.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// step names in words what a script does, for people who know no script.
func step(script string) string {
	script, _, _ = strings.Cut(script, "/")
	return script
}

// ServerError is an error that Redis answered, other than a wrong type or a
// missing permission.
type ServerError struct {
	Kind   Kind
	Script string // name of the script, or of the command
	Err    error  // what the client returned
}

// Error says which script failed, how and what may help.
func (e *ServerError) Error() string {
	text := fmt.Sprintf("redis: %s: %s: %v", step(e.Script), e.Kind, e.Err)
	switch e.Kind {
	case KindOutOfMemory:
		text += " (raise maxmemory or let consumers drain; nothing was added)"
	case KindReadOnly:
		text += " (the address leads to a replica; use the primary or Sentinel)"
	case KindCrossSlot:
		text += " (the queue name has no whole hash tag; see CheckName)"
	case KindNotReady, KindBusy:
		text += " (this passes by itself, or when the server is repaired: try again)"
	case KindAuth:
		text += " (" + loginHint + ")"
	default:
	}
	return text
}

// loginHint says what to do where Redis refuses the login.
const loginHint = "check redis.username and redis.password; a password that changes while the program runs belongs in redis.password_file"

// Unwrap returns the error of the client.
func (e *ServerError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *ServerError) ErrorType() string {
	return "redis_" + strings.ReplaceAll(e.Kind.String(), " ", "_")
}

// WrongTypeError reports a key that exists with another type than the queue
// needs. Nothing was written.
type WrongTypeError struct {
	Key    string // empty if Redis did not say
	Want   string // type needed, for example "list"
	Got    string // type found; empty if Redis did not say
	Script string // name of the script or command
	Err    error  // what the client returned
}

// Error names key, both types and what to do.
func (e *WrongTypeError) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("redis: %s: %v", step(e.Script), e.Err)
	}
	got := e.Got
	if got == "" {
		got = "value of another type"
	}
	return fmt.Sprintf(
		"redis: %s: key %q holds a %s, not a %s: nothing was changed; rename or delete the key, or use another queue name",
		step(e.Script), e.Key, got, e.Want)
}

// Unwrap returns the error of the client.
func (e *WrongTypeError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *WrongTypeError) ErrorType() string { return "redis_wrong_type" }

// PermissionError reports that the configured user may not do what the queue
// needs. At least one of Command, Key and Channel is set if Redis or the
// start-up probe could tell.
type PermissionError struct {
	Command string // command that is refused, upper case
	Key     string // key that is refused
	Channel string // channel that is refused
	Script  string // name of the script or step
	Err     error  // what the client returned
}

// Grant returns the ACL rule that would allow it, for example "+rpush" or
// "~orders*"; empty if nothing is known.
func (e *PermissionError) Grant() string {
	switch {
	case e.Command != "":
		return "+" + strings.ToLower(e.Command)
	case e.Key != "":
		return "~" + e.Key
	case e.Channel != "":
		return "&" + e.Channel
	default:
		return ""
	}
}

// Error says what is refused and what to grant.
func (e *PermissionError) Error() string {
	text := fmt.Sprintf("redis: %s: permission denied", step(e.Script))
	switch {
	case e.Command != "":
		text += " for command " + e.Command
	case e.Key != "":
		text += fmt.Sprintf(" for key %q", e.Key)
	case e.Channel != "":
		text += fmt.Sprintf(" for channel %q", e.Channel)
	}
	if grant := e.Grant(); grant != "" {
		text += "; grant it with ACL SETUSER <user> " + grant
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

// Unwrap returns the error of the client.
func (e *PermissionError) Unwrap() error { return e.Err }

// ErrorType returns a short name for telemetry.
func (e *PermissionError) ErrorType() string { return "redis_permission" }
