package kryo5

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a [Codec] works.
type Option interface {
	apply(s *settings) error
	String() string
}

// settings are what options set. They are checked together when all are known.
type settings struct {
	limits     codecs.Limits
	references bool
	since      version
	allowed    []string
	classes    []*java.Classes
	containers []containerOption
}

// Limits bounds what Decode accepts, how deeply Encode nests, and how many bytes
// it writes of containers and beans: without references, what is shared in a value
// is written as often as it occurs, which may multiply. Zero fields mean the
// defaults of [codecs.Limits]. A Depth that is negative or above 10,000
// is a mistake, which Bind, Decode and Encode report.
func Limits(l codecs.Limits) Option { return limitsOption(l) }

type limitsOption codecs.Limits

func (o limitsOption) String() string { return fmt.Sprintf("kryo5.Limits(%+v)", codecs.Limits(o)) }

func (o limitsOption) apply(s *settings) error {
	s.limits = codecs.Limits(o).WithDefaults()
	if err := codecs.Limits(o).Check(); err != nil {
		return fmt.Errorf("option %s: %w", o, err)
	}
	return nil
}

// References reads and writes what a Kryo5Codec with useReferences does (Redisson
// 3.36.0 and later; off by default there and here). The bytes do not tell whether
// it is on, so both sides must agree.
//
// Objects that stand in several places come back as one pointer or, where their
// Go type is none, as one interface value; cycles come back as cyclic values.
// Encoding writes an object in full where it is met first and as a back reference
// after that, if it is the same in Go: the same *java.Object, *java.List or
// *java.Map, the same Go map, or, for all other values, among them strings, the
// same interface value: what Decode returned for one Java object, or a value boxed
// once by the caller. Values that are merely equal are written in full, as Java
// writes two objects that are equal. Java's literals are one object each, so equal
// graphs of two Java programs may differ in bytes too.
func References() Option { return referencesOption{} }

type referencesOption struct{}

func (referencesOption) String() string { return "kryo5.References()" }

func (referencesOption) apply(s *settings) error {
	s.references = true
	return nil
}

// Since says that every Java writer and reader of the queue runs at least that
// release of Redisson, for example "3.45.1". It changes the few classes whose
// bytes differ between releases: UUID and Pattern (3.19.1), InetAddress (3.38),
// AtomicBoolean, AtomicInteger, AtomicLong, AtomicReference (3.46) and
// ConcurrentHashMap$KeySetView (4.7). The default is the newest release.
// The old forms of EnumMap and of Collections.unmodifiableList and its kin are
// recognised without it.
func Since(release string) Option { return sinceOption(release) }

type sinceOption string

func (o sinceOption) String() string { return fmt.Sprintf("kryo5.Since(%q)", string(o)) }

func (o sinceOption) apply(s *settings) error {
	v, err := parseVersion(string(o))
	if err != nil {
		return fmt.Errorf("option %s: %w", o, err)
	}
	s.since = v
	return nil
}

// AllowedClasses are the allowedClasses of the Java codec (Redisson 3.36.0 and
// later): they are written by number instead of by name, and nothing else is
// written. Redisson numbers them in the order of their names since 4.1.0, and so
// does this option. Names are Java's own ("java.util.ArrayList", "[B",
// "demo.Order$Item"). Class names in payloads stay readable.
func AllowedClasses(names ...string) Option { return allowedOption{names: names, sorted: true} }

// AllowedClassesInOrder are allowedClasses as Redisson 3.36 to 4.0 number them: in
// the order in which Java's set iterates them, which the caller must know. With a
// LinkedHashSet that is the order in which they were added; with Set.of it differs
// from one JVM to the next.
func AllowedClassesInOrder(names ...string) Option { return allowedOption{names: names} }

type allowedOption struct {
	names  []string
	sorted bool
}

func (o allowedOption) String() string {
	call := "AllowedClassesInOrder"
	if o.sorted {
		call = "AllowedClasses"
	}
	return fmt.Sprintf("kryo5.%s(%s)", call, strings.Join(o.names, ", "))
}

func (o allowedOption) apply(s *settings) error {
	if s.allowed != nil {
		return fmt.Errorf("option %s: the allowed classes were given before", o)
	}
	seen := map[string]bool{}
	for _, n := range o.names {
		switch {
		case n == "" || strings.ContainsAny(n, "/ \t"):
			return fmt.Errorf("option %s: %q is no class name as Class.getName gives it", o, n)
		case !seen[n]:
			s.allowed = append(s.allowed, n)
		}
		seen[n] = true
	}
	if o.sorted {
		sortNames(s.allowed)
	}
	return nil
}

// Classes describes the classes of the user, which beans, records and enums need:
// Kryo writes neither the names of fields nor those of constants. Sets add up.
//
// A class with several descriptions, as in a rolling deployment of the Java side,
// is read by the first one with which the whole payload can be read: newest first
// is best. Bytes may fit a wrong description too; what can be noticed is noticed:
// bytes left over, flags and numbers that no Java writes, values that do not fit
// the declared type of their field. At most eight combinations are tried, each of
// which takes the time and memory of one payload.
func Classes(classes ...*java.Classes) Option { return classesOption(classes) }

type classesOption []*java.Classes

func (o classesOption) String() string {
	n := 0
	for _, set := range o {
		n += set.Len()
	}
	return fmt.Sprintf("kryo5.Classes(%d classes)", n)
}

func (o classesOption) apply(s *settings) error {
	s.classes = append(s.classes, o...)
	return nil
}

// Container says that the class name is a list, set or map that Java writes as it
// writes class like, one of the JDK's containers: every class that implements
// Collection or Map is written that way, with its own fields lost. For example
//
//	kryo5.Container("com.shop.Cart", "java.util.ArrayList")
//	kryo5.Container("com.shop.Prices", "java.util.TreeMap")
//
// Like java.util.TreeMap, TreeSet and PriorityQueue are their subclasses alone.
// Descriptions that name the superclass or the interfaces of a container need no
// such option, and neither do JSONObject and JSONArray of fastjson and Hutool,
// Spring's LinkedMultiValueMap and LinkedCaseInsensitiveMap, and Hibernate's
// PersistentBag and its kin.
func Container(name, like string) Option { return containerOption{name, like} }

type containerOption struct{ name, like string }

func (o containerOption) String() string {
	return fmt.Sprintf("kryo5.Container(%s, %s)", o.name, o.like)
}

func (o containerOption) apply(s *settings) error {
	if o.name == "" {
		return fmt.Errorf("option %s: the class has no name", o)
	}
	s.containers = append(s.containers, o)
	return nil
}

// configure applies options in order and returns all their mistakes.
func (c *Codec) configure(opts []Option) error {
	s := settings{limits: codecs.Limits{}.WithDefaults(), since: newest}
	var errs []error
	for i, o := range opts {
		if o == nil {
			errs = append(errs, fmt.Errorf("option %d is nil", i+1))
			continue
		}
		if err := o.apply(&s); err != nil {
			errs = append(errs, err)
		}
	}
	known := newCatalog(s.since, s.allowed)
	for _, o := range s.containers {
		if err := known.addLike(o.name, o.like); err != nil {
			errs = append(errs, fmt.Errorf("option %s: %w", o, err))
		}
	}
	if s.references && s.since.before(version{3, 36, 0}) {
		errs = append(errs, fmt.Errorf("option kryo5.References(): Redisson %s has no useReferences, which came with 3.36.0", s.since))
	}
	if s.allowed != nil && s.since.before(version{3, 36, 0}) {
		errs = append(errs, fmt.Errorf("option kryo5.AllowedClasses: Redisson %s has no allowedClasses, which came with 3.36.0", s.since))
	}
	classes, err := (*java.Classes)(nil).Join(s.classes...)
	if err == nil {
		classes, err = classes.WithKnown()
	}
	if err != nil {
		errs = append(errs, err)
	}
	c.limits, c.references, c.known = s.limits, s.references, known
	c.universe = newUniverse(known, classes)
	return errors.Join(errs...)
}
