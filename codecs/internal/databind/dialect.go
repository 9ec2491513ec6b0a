package databind

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/option"
)

// Dialect names releases of Redisson between which the bytes of a codec differ. It
// is an [Option], and says the same as [Since] with the release in its comment.
// The zero value is the default of the codecs of Jackson 2.
type Dialect int

// The dialects of the codecs of Jackson 2. Beside what is said here they differ in
// what few payloads hold: Throwables and map keys that are dates.
const (
	// Redisson3_12 is Redisson 3.11.6 to 4.1.x (Jackson 2.10 and later), Since("4.1.0"):
	// inside a map or list NaN is ["java.lang.Double","NaN"], a UUID that is the root
	// or a field declared as UUID is its text. It is the default, and right for 4.2.0
	// and later too where no UUID is declared.
	Redisson3_12 Dialect = iota
	// Redisson3_8 is Redisson 3.8.1 to 3.11.5 (Jackson 2.9), Since("3.11.5"): NaN is
	// "NaN", which Java reads back as a String.
	Redisson3_8
	// Redisson4_2 is Redisson 4.2.0 to 4.7.0, Since("4.7.0"): NaN as in Redisson3_12,
	// a UUID is ["java.util.UUID","…"] in every place. Java reads only its own
	// form of the latter.
	Redisson4_2
	// Jackson3 is the dialect of the codecs of Jackson 3, the only one they have;
	// those of Jackson 2 refuse it.
	Jackson3
)

var dialects = [...]struct {
	name, text string
	release    option.Release
}{
	Redisson3_12: {"jackson.Redisson3_12", "jackson2", option.Release{4, 1, 0}},
	Redisson3_8:  {"jackson.Redisson3_8", "jackson2.9", option.Release{3, 11, 5}},
	Redisson4_2:  {"jackson.Redisson4_2", "jackson2-uuid", option.Newest},
	Jackson3:     {"jackson.Jackson3", "jackson3", option.Newest},
}

// ParseDialect returns the dialect of a name in configurations: "jackson2",
// "jackson2-uuid", "jackson2.9" or "jackson3".
func ParseDialect(name string) (Dialect, error) {
	for d, row := range dialects {
		if strings.EqualFold(name, row.text) {
			return Dialect(d), nil
		}
	}
	return 0, fmt.Errorf("%q is no dialect: jackson2 (Redisson 3.11.6 to 4.1), jackson2-uuid (4.2 and later), "+
		"jackson2.9 (up to 3.11.5) and jackson3 are", name)
}

// String returns the constant's name.
func (d Dialect) String() string {
	if d < 0 || int(d) >= len(dialects) {
		return fmt.Sprintf("jackson.Dialect(%d)", int(d))
	}
	return dialects[d].name
}

// Apply implements [Option].
func (d Dialect) Apply(s *settings) error {
	switch {
	case d < 0 || int(d) >= len(dialects):
		return errors.New("there is no such dialect")
	case s.plain:
		return errPlain
	case (d == Jackson3) != (s.rules.Jackson == 3):
		return fmt.Errorf("codec %s is one of Jackson %d: another codec, not a dialect, is what its Java side uses", s.codec, s.rules.Jackson)
	}
	return s.since(dialects[d].release)
}
