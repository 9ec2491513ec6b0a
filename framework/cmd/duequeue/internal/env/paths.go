package env

import (
	"errors"
	"path/filepath"
)

// Paths is the value of a flag that may be given several times.
type Paths []string

// Set adds one path, or several as on a Java class path.
func (l *Paths) Set(value string) error {
	for _, path := range filepath.SplitList(value) {
		if path == "" {
			return errors.New("an empty path")
		}
		*l = append(*l, path)
	}
	return nil
}
