package framework

import (
	"fmt"
	"regexp"

	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/config"
)

// LoadConfig reads the YAML file at path, lets the environment override it, and validates
// the result. An empty path means the environment alone. [Section] reads a part of a
// larger file; [EnvPrefix] sets another prefix of variables. All mistakes are returned
// together as [fault.ConfigErrors], with file and line or the variable's name: wrong
// values, unknown keys, misspelt DUEQUEUE_ variables, contradictions.
//
// For a DUEQUEUE_ variable that resembles no setting, [Open] logs a warning. If there are
// mistakes it is listed with them, since it may hold what is missing. Variables that
// Kubernetes sets for a Service named duequeue are left alone.
func LoadConfig(path string, opts ...LoadOption) (Config, error) {
	s, err := config.Open(path)
	if err != nil {
		return Config{}, err
	}
	return loadConfig(applied(s, opts))
}

// applied returns s with the options.
func applied(s config.Source, opts []LoadOption) config.Source {
	s.Prefix = DefaultEnvPrefix
	for _, opt := range opts {
		if opt != nil {
			opt.applyLoad(&s)
		}
	}
	return s
}

// loadConfig is LoadConfig without the outer world.
func loadConfig(s config.Source) (Config, error) {
	if errs := loadMistakes(s); len(errs) > 0 {
		return Config{}, errs
	}
	var cfg Config
	read := config.Read(&cfg, s)
	cfg.origin, cfg.unknown = read.Origin, read.Unknown
	if err := read.Mistakes(cfg.mistakes); err != nil {
		return Config{}, err
	}
	return cfg, nil
}

// LoadOption changes where [LoadConfig] reads.
type LoadOption interface{ applyLoad(s *config.Source) }

type loadOption func(s *config.Source)

func (o loadOption) applyLoad(s *config.Source) { o(s) }

// DefaultEnvPrefix begins the names of environment variables, unless [EnvPrefix] says
// otherwise.
const DefaultEnvPrefix = "DUEQUEUE_"

// Section makes [LoadConfig] read one section of a larger YAML file, named by its keys with
// dots between: "app.queues". It ignores the other parts of the file. A file without that
// section is a mistake.
func Section(path string) LoadOption {
	return loadOption(func(s *config.Source) { s.Section = path })
}

// EnvPrefix makes [LoadConfig] read environment variables that begin with prefix instead of
// [DefaultEnvPrefix]. A prefix has capital letters, digits and underscores, and ends with an
// underscore. With the empty text no variable is read.
func EnvPrefix(prefix string) LoadOption {
	return loadOption(func(s *config.Source) { s.Prefix = prefix })
}

var envPrefixes = regexp.MustCompile(`^[A-Z][A-Z0-9_]*_$`)

// loadMistakes returns what is wrong with the options themselves.
func loadMistakes(s config.Source) (errs fault.ConfigErrors) {
	if s.Section != "" && s.File == "" {
		errs = append(errs, &fault.ConfigError{Reason: fmt.Sprintf("Section(%q) needs a file: LoadConfig got no path", s.Section)})
	}
	if s.Prefix != "" && !envPrefixes.MatchString(s.Prefix) {
		errs = append(errs, &fault.ConfigError{Reason: fmt.Sprintf("EnvPrefix(%q): write capital letters, digits and underscores, with an underscore at the end", s.Prefix)})
	}
	return errs
}
