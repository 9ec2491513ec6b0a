package fault

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/internal/errtext"
)

// ConfigError is one mistake in the configuration. It never shows a password.
type ConfigError struct {
	Field  string // path as in YAML, for example "redis.url"; empty for the file as a whole
	Origin string // "duequeue.yaml:7" or "DUEQUEUE_REDIS_URL"; empty when the program set it
	Value  string // as written; "(redacted)" for secrets, empty if there is none
	Reason string // what is wrong and what to write instead
	Err    error  // underlying error, may be nil
	// Section is the section of the file that has the settings, if the file was read without that
	// section; else empty.
	Section string
}

// Error says where, what and what to do, in one line: names of keys and variables that
// could break it are escaped.
func (e *ConfigError) Error() string {
	var b strings.Builder
	b.WriteString("configuration")
	if e.Field != "" {
		fmt.Fprintf(&b, ": %s", codecs.Printable(e.Field, errtext.MaxLogText))
	}
	if e.Value != "" {
		fmt.Fprintf(&b, " = %q", e.Value)
	}
	if e.Origin != "" {
		fmt.Fprintf(&b, " (%s)", codecs.Printable(e.Origin, errtext.MaxLogText))
	}
	fmt.Fprintf(&b, ": %s", codecs.Printable(e.Reason, errtext.MaxLogText))
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns the underlying error.
func (e *ConfigError) Unwrap() error { return e.Err }

// ConfigErrors are all mistakes of a configuration together.
type ConfigErrors []*ConfigError

// Error lists the mistakes, one to a line.
func (e ConfigErrors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each mistake, so that errors.As finds the first *ConfigError.
func (e ConfigErrors) Unwrap() []error {
	errs := make([]error, len(e))
	for i, one := range e {
		errs[i] = one
	}
	return errs
}
