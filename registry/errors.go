package registry

import (
	"errors"
	"fmt"
	"reflect"
)

var errNotDefined = errors.New("registry: a queue that was not made by registry.Define")

// NameError says that a code, key or title cannot be used.
type NameError struct {
	Code     string // queue code
	What     string // "code", "key" or "title"
	Name     string // the name at fault
	Reason   string
	Declared string // file:line
}

// Error names the name, the reason and the place of the declaration.
func (e *NameError) Error() string {
	if e.What == "code" {
		return fmt.Sprintf("queue code %q: %s (declared at %s)", e.Name, e.Reason, e.Declared)
	}
	return fmt.Sprintf("queue %q: %s %q: %s (declared at %s)", e.Code, e.What, e.Name, e.Reason, e.Declared)
}

func (e *NameError) locate(at string) { e.Declared = at }

// OptionError says that an option is wrong, or wrong for this queue.
type OptionError struct {
	Code     string // queue code
	Option   string // as written, for example "Timeout(-1s)"
	Reason   string
	Declared string // file:line
}

// Error names the option, the reason and the place of the declaration.
func (e *OptionError) Error() string {
	return fmt.Sprintf("queue %q: option %s: %s (declared at %s)", e.Code, e.Option, e.Reason, e.Declared)
}

func (e *OptionError) locate(at string) { e.Declared = at }

// PayloadError says that the queue's codec cannot carry its payload type.
type PayloadError struct {
	Code     string       // queue code
	Type     reflect.Type // payload type
	Err      error        // usually a *codecs.BindError
	Declared string       // file:line
}

// Error gives the reason of the codec and the place of the declaration.
func (e *PayloadError) Error() string {
	return fmt.Sprintf("queue %q: payload %s: %v (declared at %s)", e.Code, e.Type, e.Err, e.Declared)
}

// Unwrap returns what the codec says.
func (e *PayloadError) Unwrap() error { return e.Err }

func (e *PayloadError) locate(at string) { e.Declared = at }

// DuplicateCodeError says that two queues have the same code.
type DuplicateCodeError struct {
	Code          string
	First, Second string // file:line of both declarations; equal for one queue listed twice
}

// Error names the places of both declarations.
func (e *DuplicateCodeError) Error() string {
	if e.First == e.Second {
		return fmt.Sprintf("queue %q is listed twice (declared at %s)", e.Code, e.First)
	}
	return fmt.Sprintf("queue %q is declared twice, first at %s (declared at %s)", e.Code, e.First, e.Second)
}

// DuplicateKeyError says that two queues with different codes have the same key
// in Redis: they would take each other's messages.
type DuplicateKeyError struct {
	Key                   string
	FirstCode, SecondCode string
	First, Second         string // file:line of both declarations
}

// Error names both queues and the places of their declarations.
func (e *DuplicateKeyError) Error() string {
	return fmt.Sprintf("queue %q: its key %q is already that of queue %q at %s (declared at %s)",
		e.SecondCode, e.Key, e.FirstCode, e.First, e.Second)
}

// TwinError says that the keys of two queues are q and {q}. Redisson names the
// delayed structures of both alike, so that the messages of one would become
// due in the other.
type TwinError struct {
	FirstCode, SecondCode string
	FirstKey, SecondKey   string
	First, Second         string // file:line of both declarations
}

// Error names both queues and the places of their declarations.
func (e *TwinError) Error() string {
	return fmt.Sprintf("queue %q: its key %q shares its delayed messages with key %q of queue %q at %s: rename one (declared at %s)",
		e.SecondCode, e.SecondKey, e.FirstKey, e.FirstCode, e.First, e.Second)
}

// SizeError says that a payload is larger than the queue allows.
type SizeError struct {
	Code  string
	Size  int // bytes
	Limit int // bytes, the queue's MaxPayload
}

// Error names the size of the payload and its limit.
func (e *SizeError) Error() string {
	return fmt.Sprintf("queue %q: the payload has %d bytes, the limit is %d: send less, a reference for example, or define the queue with registry.MaxPayload", e.Code, e.Size, e.Limit)
}

// ErrorType returns "oversized", the low-cardinality name used in telemetry.
func (e *SizeError) ErrorType() string { return "oversized" }

// Permanent returns true: the same payload is too large again.
func (e *SizeError) Permanent() bool { return true }

// join is errors.Join that gives a single error as it is.
func join(errs []error) error {
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

// flatten returns the errors that err joins, at any depth, or err alone.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}
