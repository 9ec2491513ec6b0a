package kryo5

import (
	"fmt"
	"strconv"
	"strings"
)

// version is a release of Redisson.
type version [3]int

// Releases that matter: the first one with Kryo5Codec, and "the newest".
var (
	oldest = version{3, 19, 0}
	newest = version{1 << 30}
)

func (v version) before(other version) bool {
	for i := range v {
		if v[i] != other[i] {
			return v[i] < other[i]
		}
	}
	return false
}

func (v version) String() string {
	if v == newest {
		return "newest"
	}
	return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2])
}

// parseVersion reads "3.45", "3.45.1" or "4.7.0".
func parseVersion(text string) (version, error) {
	var v version
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return v, fmt.Errorf("%q is no release of Redisson: write it as 3.45.1", text)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || part[0] == '+' || n > 1<<20 {
			return v, fmt.Errorf("%q is no release of Redisson: write it as 3.45.1", text)
		}
		v[i] = n
	}
	if v.before(oldest) {
		return v, fmt.Errorf("release %s of Redisson has no Kryo5Codec, which came with 3.19.0", v)
	}
	return v, nil
}
