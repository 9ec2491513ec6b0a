package databind

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a codec of Jackson's family works. Options are checked
// together when a codec is made; Bind, Decode and Encode report their mistakes.
type Option interface {
	apply(s *settings) error
	String() string
}

// settings are what options set.
type settings struct {
	codec   string // its name
	limits  codecs.Limits
	rules   Rules
	classes []*java.Classes
}

// Limits sets the limits of decoding; zero fields keep their defaults. Encoding
// keeps Bytes and Depth. A Depth that is negative or above 10,000 is a mistake.
//
// Elements counts the elements of lists and the members of objects, Depth lists,
// maps and beans within each other: the wrapper arrays that name classes are neither.
func Limits(l codecs.Limits) Option { return limitsOption(l) }

type limitsOption codecs.Limits

func (o limitsOption) String() string { return fmt.Sprintf("jackson.Limits(%+v)", codecs.Limits(o)) }

func (o limitsOption) apply(s *settings) error {
	s.limits = s.rules.limits(codecs.Limits(o))
	return codecs.Limits(o).Check()
}

// Since says which release of Redisson the Java services of the queue run, for
// example "4.7.0". What is written is what that release writes and reads. Reading
// takes what every release wrote, as far as the bytes tell; where they do not, the
// release decides. Without it the codecs of Jackson 2 write what Redisson
// 3.11.6 to 4.1 does, those of Jackson 3 what the newest release does.
func Since(release string) Option { return sinceOption(release) }

type sinceOption string

func (o sinceOption) String() string { return fmt.Sprintf("jackson.Since(%q)", string(o)) }

func (o sinceOption) apply(s *settings) error {
	r, err := parseRelease(string(o))
	if err != nil {
		return err
	}
	return s.since(r)
}

func (s *settings) since(r Release) error {
	if first := s.rules.First; r.Before(first[0], first[1], first[2]) {
		return fmt.Errorf("release %s of Redisson has no codec %s, which came with %s", r, s.codec, first)
	}
	s.rules.Release = r
	return nil
}

// parseRelease reads "3.45", "3.45.1" or "4.7.0".
func parseRelease(text string) (Release, error) {
	var r Release
	parts := strings.Split(text, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return r, fmt.Errorf("%q is no release of Redisson: write it as 3.45.1", text)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || part[0] == '+' || n > 1<<20 {
			return r, fmt.Errorf("%q is no release of Redisson: write it as 3.45.1", text)
		}
		r[i] = n
	}
	return r, nil
}

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
	// a UUID is ["java.util.UUID","…"] wherever it stands. Java reads only its own
	// form of the latter.
	Redisson4_2
	// Jackson3 is the dialect of the codecs of Jackson 3, the only one they have;
	// those of Jackson 2 refuse it.
	Jackson3
)

var dialects = [...]struct {
	name, text string
	release    Release
}{
	Redisson3_12: {"jackson.Redisson3_12", "jackson2", Release{4, 1, 0}},
	Redisson3_8:  {"jackson.Redisson3_8", "jackson2.9", Release{3, 11, 5}},
	Redisson4_2:  {"jackson.Redisson4_2", "jackson2-uuid", newest},
	Jackson3:     {"jackson.Jackson3", "jackson3", newest},
}

// newest is the newest release whose bytes are known.
var newest = Release{4, 7, 0}

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

func (d Dialect) apply(s *settings) error {
	if d < 0 || int(d) >= len(dialects) {
		return errors.New("there is no such dialect")
	}
	if (d == Jackson3) != (s.rules.Jackson == 3) {
		return fmt.Errorf("codec %s is one of Jackson %d: another codec, not a dialect, is what its Java side uses", s.codec, s.rules.Jackson)
	}
	return s.since(dialects[d].release)
}

// Classes describes classes of the user for Decode and Encode without a Go type:
// fields are then read as they are declared, and written as Java writes the declared
// type. Without a description objects keep the spelling in which they were
// read. Sets add up; Bind describes the classes of a Go type beside them.
func Classes(classes ...*java.Classes) Option { return classesOption(classes) }

type classesOption []*java.Classes

func (o classesOption) String() string {
	n := 0
	for _, set := range o {
		n += set.Len()
	}
	return fmt.Sprintf("jackson.Classes(%d classes)", n)
}

func (o classesOption) apply(s *settings) error {
	s.classes = append(s.classes, o...)
	return nil
}

// configure applies options in order and returns all their mistakes.
func (s *settings) configure(opts []Option) error {
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i+1))
			continue
		}
		if err := o.apply(s); err != nil {
			errs = append(errs, fmt.Errorf("option %s: %w", o, err))
		}
	}
	return errors.Join(errs...)
}
