package payloads

import (
	"errors"
	"strings"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

// usageOfSettings returns the error of a codec that is not known, or not with these flags, as
// one of usage.
func usageOfSettings(err error) error {
	var unknown *catalog.UnknownError
	var option *catalog.OptionError
	switch {
	case errors.As(err, &unknown):
		return env.Usage(err)
	case errors.As(err, &option) && len(option.Options) > 0:
		return env.Usagef("codec %s does not know the flag %s", option.Codec, strings.Join(flagsOf(option.Options), ", "))
	case errors.As(err, &option):
		return env.Usage(err)
	}
	return err
}

// flagsOf returns the flags behind options of the catalog.
func flagsOf(options []string) []string {
	flags := map[string]string{"Classes": "-classes", "References": "-refs", "Since": "-since", "Allowed": "-allowed", "Hooks": "-classes", "Schema": "-schema"}
	out := make([]string, len(options))
	for i, o := range options {
		out[i] = flags[o]
	}
	return out
}
