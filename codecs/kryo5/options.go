package kryo5

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/javatext"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Option changes how a [Codec] works.
type Option interface{ option.Option[settings] }

// settings are what options set. They are checked together when all are known.
type settings struct {
	limits     codecs.Limits
	references bool
	since      option.Release
	allowed    []string
	classes    *java.Classes
	containers []container
}

// Limits bounds what Decode accepts, how deeply Encode nests, and how many bytes
// it writes of containers and beans: without references, what is shared in a value
// is written as often as it occurs, which may multiply. Zero fields mean the
// defaults of [codecs.Limits]. A Depth that is negative or above 10,000 is a mistake.
func Limits(l codecs.Limits) Option {
	return option.Limits("kryo5.Limits", l, func(s *settings, l codecs.Limits) { s.limits = l.WithDefaults() })
}

// References reads and writes what a Kryo5Codec with useReferences does (Redisson
// 3.36.0 and later; off by default there and here). The bytes do not tell whether
// it is on, so both sides must agree.
//
// Objects that occur in several places come back as one pointer or, where their
// Go type is none, as one interface value; cycles come back as cyclic values.
// Encoding writes an object in full where it is met first and as a back reference
// after that, if it is the same in Go: the same *java.Object, *java.List or
// *java.Map, the same Go map, or, for all other values, among them strings, the
// same interface value: what Decode returned for one Java object, or a value boxed
// once by the caller. Values that are merely equal are written in full, as Java
// writes two objects that are equal. Java's literals are one object each, so equal
// graphs of two Java programs may differ in bytes too.
func References() Option {
	return option.Set("kryo5.References()", func(s *settings) { s.references = true })
}

// Since names the release of Redisson that the Java services of the queue run, the
// oldest where they differ, for example "4.7.0". What is written is what that release
// writes and reads; reading takes what every release wrote, as far as the bytes tell,
// and where they do not, the release decides. A release without the codec is a mistake.
//
// It decides about the few classes whose bytes differ between releases: UUID and
// Pattern (3.19.1), InetAddress (3.38), AtomicBoolean, AtomicInteger, AtomicLong and
// AtomicReference (3.46), ConcurrentHashMap$KeySetView (4.7). The old forms of EnumMap
// and of Collections.unmodifiableList and its kin are recognised without it. Without it
// the codec writes and reads what the newest release does.
func Since(release string) Option {
	return option.Since("kryo5.Since", release, func(s *settings, r option.Release) error {
		if r.Before(first) {
			return fmt.Errorf("release %s of Redisson has no Kryo5Codec, which came with %s", r, first)
		}
		s.since = r
		return nil
	})
}

// The releases that brought the codec, and useReferences with allowedClasses.
var (
	first          = option.Release{3, 19, 0}
	withReferences = option.Release{3, 36, 0}
)

// AllowedClasses are the allowedClasses of the Java codec (Redisson 3.36.0 and
// later): they are written by number instead of by name, and nothing else is
// written. Redisson numbers them in the order of their names since 4.1.0, and so
// does this option. Names are Java's own ("java.util.ArrayList", "[B",
// "demo.Order$Item"). Class names in payloads stay readable.
func AllowedClasses(names ...string) Option { return allow("AllowedClasses", names, true) }

// AllowedClassesInOrder are allowedClasses as Redisson 3.36 to 4.0 number them: in
// the order in which Java's set iterates them, which the caller must know. With a
// LinkedHashSet that is the order in which they were added; with Set.of it differs
// from one JVM to the next.
func AllowedClassesInOrder(names ...string) Option {
	return allow("AllowedClassesInOrder", names, false)
}

func allow(call string, names []string, sorted bool) Option {
	return option.New(fmt.Sprintf("kryo5.%s(%s)", call, strings.Join(names, ", ")), func(s *settings) error {
		if s.allowed != nil {
			return errors.New("the allowed classes were given before")
		}
		seen := map[string]bool{}
		for _, n := range names {
			switch {
			case n == "" || strings.ContainsAny(n, "/ \t"):
				return fmt.Errorf("%q is no class name as Class.getName gives it", n)
			case !seen[n]:
				s.allowed = append(s.allowed, n)
			}
			seen[n] = true
		}
		if sorted {
			slices.SortFunc(s.allowed, javatext.Compare)
		}
		return nil
	})
}

// Classes describes the classes of the user, which beans, records and enums need:
// Kryo writes neither the names of fields nor those of constants. The sets of several
// such options add up. Of several descriptions of one class the first one writes;
// nil is an empty set.
//
// A class with several descriptions, as in a rolling deployment of the Java side,
// is read by the first one with which the whole payload can be read: newest first
// is best. Bytes may fit a wrong description too; what can be noticed is noticed:
// bytes left over, flags and numbers that no Java writes, values that do not fit
// the declared type of their field. At most eight combinations are tried, each of
// which takes the time and memory of one payload.
func Classes(sets ...*java.Classes) Option {
	return option.Classes("kryo5.Classes", sets, func(s *settings) **java.Classes { return &s.classes })
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
// such option, and neither do Kotlin's EmptyList, EmptySet and EmptyMap, JSONObject and
// JSONArray of fastjson and Hutool,
// Spring's LinkedMultiValueMap and LinkedCaseInsensitiveMap, and Hibernate's
// PersistentBag and its kin.
func Container(name, like string) Option {
	c := container{name, like}
	return option.New(c.String(), func(s *settings) error {
		if name == "" {
			return errors.New("the class has no name")
		}
		s.containers = append(s.containers, c)
		return nil
	})
}

// container is a class that is written like another.
type container struct{ name, like string }

func (c container) String() string { return fmt.Sprintf("kryo5.Container(%s, %s)", c.name, c.like) }

// configure applies options in order and returns all their mistakes.
func (c *Codec) configure(opts []Option) error {
	s := settings{limits: codecs.Limits{}.WithDefaults(), since: option.Newest}
	errs := []error{option.Configure(&s, opts)}
	known := newCatalog(s.since, s.allowed)
	for _, o := range s.containers {
		if err := known.addLike(o.name, o.like); err != nil {
			errs = append(errs, fmt.Errorf("option %s: %w", o, err))
		}
	}
	if s.references && s.since.Before(withReferences) {
		errs = append(errs, fmt.Errorf("option kryo5.References(): Redisson %s has no useReferences, which came with %s", s.since, withReferences))
	}
	if s.allowed != nil && s.since.Before(withReferences) {
		errs = append(errs, fmt.Errorf("option kryo5.AllowedClasses: Redisson %s has no allowedClasses, which came with %s", s.since, withReferences))
	}
	classes, err := bridge.WithKnown(s.classes)
	if err != nil {
		errs = append(errs, fmt.Errorf("option kryo5.Classes: %w", err))
	}
	c.limits, c.references, c.known = s.limits, s.references, known
	c.universe = newUniverse(known, classes)
	c.plan = newPlan(c.universe, untyped(), anyType, codecs.BindOptions{}, c.references)
	return errors.Join(errs...)
}
