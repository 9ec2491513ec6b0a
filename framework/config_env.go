package framework

import (
	"slices"
	"strings"
)

const envPrefix = "DUEQUEUE_"

// envOfTools are variables with our prefix that LoadConfig leaves alone:
// DUEQUEUE_REDIS_SERVER names the server binary for package redisserver, and
// DUEQUEUE_TEST_… steers test suites.
func envOfTools(name string) bool {
	return name == "DUEQUEUE_REDIS_SERVER" || strings.HasPrefix(name, "DUEQUEUE_TEST_")
}

// readEnv sets the fields of cfg that environ (as of os.Environ) names. An empty
// value counts as unset. A variable with our prefix that is no field is a mistake.
func readEnv(cfg *Config, environ []string) ConfigErrors {
	var errs ConfigErrors
	byName := map[string]configField{}
	var names []string
	for _, f := range configFields(cfg) {
		byName[f.env()] = f
		names = append(names, f.env())
	}
	environ = slices.Sorted(slices.Values(environ)) // the same messages in the same order
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || envOfTools(name) {
			continue
		}
		f, known := byName[name]
		if !known {
			errs = append(errs, &ConfigError{
				Origin: name, Reason: "unknown environment variable" + didYouMean(name, names),
			})
			continue
		}
		if text == "" {
			continue
		}
		if err := f.set(text); err != nil {
			errs = append(errs, &ConfigError{
				Field: f.path, Origin: name, Value: f.show(text), Reason: err.Error(),
			})
			continue
		}
		cfg.cameFrom(f.path, name)
	}
	return errs
}

// cameFrom notes where a field's value was read.
func (c *Config) cameFrom(path, origin string) {
	if c.origin == nil {
		c.origin = map[string]string{}
	}
	c.origin[path] = origin
}
