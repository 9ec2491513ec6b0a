package option

import (
	"fmt"
	"strconv"
	"strings"
)

// Release is a release of Redisson: {4, 7, 0}.
type Release [3]int

// Newest means the newest release, whichever it is.
var Newest = Release{1 << 30}

// Before reports whether r is older than other.
func (r Release) Before(other Release) bool {
	for i := range r { // slices.Compare would take both to the heap, and payloads ask
		if r[i] != other[i] {
			return r[i] < other[i]
		}
	}
	return false
}

// String returns the release as people write it: 4.7.0.
func (r Release) String() string {
	if r == Newest {
		return "newest"
	}
	return fmt.Sprintf("%d.%d.%d", r[0], r[1], r[2])
}

// ParseRelease reads "3.45", "3.45.1" or "4.7.0".
func ParseRelease(text string) (Release, error) {
	var r Release
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return Release{}, notRelease(text)
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 20)
		if err != nil {
			return Release{}, notRelease(text)
		}
		r[i] = int(n)
	}
	return r, nil
}

func notRelease(text string) error {
	return fmt.Errorf("%q is no release of Redisson: write it as 3.45.1", text)
}
