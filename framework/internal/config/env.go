package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/framework/fault"
)

// envOfTools are variables with our prefix that are left alone:
// DUEQUEUE_REDIS_SERVER names the server binary for the tests, and
// DUEQUEUE_TEST_… steers test suites.
func envOfTools(name string) bool {
	return name == "DUEQUEUE_REDIS_SERVER" || strings.HasPrefix(name, "DUEQUEUE_TEST_")
}

// envOfService matches what Kubernetes puts into each container for a Service, see
// https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables.
// The first group is the Service's name, in capitals.
var envOfService = regexp.MustCompile(`^(.+?)_(?:SERVICE_HOST|SERVICE_PORT(?:_.+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$`)

// injected reports whether Kubernetes set a variable: one of a Service named as the prefix, or
// as what begins so and whose host is among the variables, too.
func injected(name, prefix string, environ []string) bool {
	m := envOfService.FindStringSubmatch(name)
	return m != nil && (m[1]+"_" == prefix || slices.ContainsFunc(environ, func(entry string) bool {
		return strings.HasPrefix(entry, m[1]+"_SERVICE_HOST=")
	}))
}

// readEnv sets the fields that environ (as of os.Environ) names; no prefix, none. An empty
// value counts as unset. A variable with our prefix that is no field is a mistake where
// its name is nearly that of one; else its name goes to Unknown.
func (r *Reading) readEnv(into any, environ []string, prefix string) {
	if prefix == "" {
		return
	}
	byName := map[string]field{}
	var known []string
	for _, f := range fieldsOf(into) {
		byName[f.env(prefix)] = f
		known = append(known, strings.TrimPrefix(f.env(prefix), prefix))
	}
	environ = slices.Sorted(slices.Values(environ)) // the same messages in the same order
	for _, entry := range environ {
		name, text, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, prefix) || envOfTools(name) {
			continue
		}
		f, ok := byName[name]
		if !ok {
			if meant := Nearest(strings.TrimPrefix(name, prefix), known); meant != "" {
				r.errs = append(r.errs, unknownVariable(name, "; did you mean "+prefix+meant+"?"))
			} else if !injected(name, prefix, environ) {
				r.Unknown = append(r.Unknown, name)
			}
			continue
		}
		if text != "" {
			r.set(f, text, name)
		}
	}
}

func unknownVariable(name, more string) *fault.ConfigError {
	return &fault.ConfigError{Origin: name, Reason: "unknown environment variable" + more}
}
