package framework

import (
	"fmt"
	"regexp"
)

// LoadOption changes where [LoadConfig] reads.
type LoadOption interface{ applyLoad(o *loadOptions) }

type loadOptions struct{ section, prefix string }

// DefaultEnvPrefix begins the names of environment variables, unless [EnvPrefix] says
// otherwise.
const DefaultEnvPrefix = "DUEQUEUE_"

// Section makes [LoadConfig] read one section of a larger YAML file, named by its keys with
// dots between: "app.queues". Other parts of the file are left alone. A file without that
// section is a mistake.
func Section(path string) LoadOption { return sectionOption(path) }

type sectionOption string

func (s sectionOption) applyLoad(o *loadOptions) { o.section = string(s) }

// EnvPrefix makes [LoadConfig] read environment variables that begin with prefix instead of
// [DefaultEnvPrefix]: capital letters, digits and underscores, with an underscore at the end.
// The empty text reads no variable.
func EnvPrefix(prefix string) LoadOption { return envPrefixOption(prefix) }

type envPrefixOption string

func (p envPrefixOption) applyLoad(o *loadOptions) { o.prefix = string(p) }

var envPrefixes = regexp.MustCompile(`^[A-Z][A-Z0-9_]*_$`)

// mistakes returns what is wrong with the options themselves.
func (o loadOptions) mistakes(file string) (errs ConfigErrors) {
	if o.section != "" && file == "" {
		errs = append(errs, &ConfigError{Reason: fmt.Sprintf("Section(%q) needs a file: LoadConfig got no path", o.section)})
	}
	if o.prefix != "" && !envPrefixes.MatchString(o.prefix) {
		errs = append(errs, &ConfigError{Reason: fmt.Sprintf("EnvPrefix(%q): write capital letters, digits and underscores, with an underscore at the end", o.prefix)})
	}
	return errs
}
