package kryo5

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// assignable reports whether Java can put an object of a class where another one
// is declared; both are names as Class.getName gives them. Where too little is
// known of the classes it says yes.
func (w *world) assignable(declared, class string) bool {
	switch declared {
	case class, "", "java.lang.Object", "java.io.Serializable", "java.lang.Comparable", "java.lang.Cloneable":
		return true
	}
	if declared[0] == '[' || class == "" || class[0] == '[' {
		return w.arrayAssignable(declared, class)
	}
	if !javaName(declared) {
		return !javaName(class) && w.descends(class, declared)
	}
	if kind, ok := declaredKinds[declared]; ok {
		c := w.class(class)
		return c == nil || kind(c, javaName(class))
	}
	if w.known.byName[declared] == nil {
		return true
	}
	if !javaName(class) {
		return w.descends(class, declared)
	}
	if throwableName(declared) && throwableName(class) {
		return true // which extends which is not known here
	}
	return strings.Contains(" "+subclasses[declared]+" ", " "+class+" ") ||
		declared == "java.nio.charset.Charset" && strings.HasPrefix(class, charsetPrefix)
}

func (w *world) arrayAssignable(declared, class string) bool {
	to, isArray := layout.Component(declared)
	from, ok := layout.Component(class)
	switch {
	case !isArray || !ok:
		return false
	case len(declared) == 2 || len(class) == 2: // of primitives
		return to == "java.lang.Object" && from[0] == '['
	}
	return w.assignable(to, from)
}

// descends reports whether a class of the user extends or implements another.
func (w *world) descends(class, declared string) bool {
	for range maxSupers {
		if class == declared {
			return true
		}
		desc := w.describe(class)
		if desc == nil {
			return true
		}
		if desc.Name != class { // the class of a constant
			class = desc.Name
			continue
		}
		if slices.Contains(desc.Interfaces, declared) {
			return true
		}
		if desc.Super.Class == "" {
			base := w.describe(declared)
			return (base == nil || len(base.Fields) == 0) && len(desc.Interfaces) == 0
		}
		class = desc.Super.Class
	}
	return true
}

// subclasses of classes in the JDK that are not final.
var subclasses = map[string]string{
	"java.util.Date":         "java.sql.Date java.sql.Time java.sql.Timestamp",
	"java.util.HashMap":      "java.util.LinkedHashMap",
	"java.util.HashSet":      "java.util.LinkedHashSet",
	"java.util.Vector":       "java.util.Stack",
	"java.util.Hashtable":    "java.util.Properties",
	"java.util.TimeZone":     "sun.util.calendar.ZoneInfo java.util.SimpleTimeZone",
	"java.util.Calendar":     "java.util.GregorianCalendar",
	"java.util.EnumSet":      "java.util.RegularEnumSet java.util.JumboEnumSet",
	"java.net.InetAddress":   "java.net.Inet4Address java.net.Inet6Address",
	"java.net.SocketAddress": "java.net.InetSocketAddress",
	"java.lang.Throwable":    "java.lang.Exception java.lang.Error",
}

// declaredKinds are the types that fields are declared as and that many classes
// have. Of classes outside the JDK only the layout is looked at.
var declaredKinds = map[string]func(c *class, jdk bool) bool{
	"java.lang.Number":       named("Integer Long Double Float Short Byte BigInteger BigDecimal AtomicInteger AtomicLong"),
	"java.lang.CharSequence": named("String StringBuilder StringBuffer"),
	"java.lang.Iterable":     collectionNamed(""),
	"java.util.Collection":   collectionNamed(""),
	"java.util.List": func(c *class, jdk bool) bool {
		return collectionNamed("List Vector Stack")(c, jdk) && (!jdk || !strings.HasSuffix(c.name, "Set"))
	},
	"java.util.Set":                      collectionNamed("Set"),
	"java.util.SortedSet":                collectionNamed("TreeSet SkipListSet SortedSet NavigableSet EmptyNavigable KeySet"),
	"java.util.NavigableSet":             collectionNamed("TreeSet SkipListSet NavigableSet EmptyNavigable KeySet"),
	"java.util.Queue":                    collectionNamed("Queue Deque LinkedList"),
	"java.util.Deque":                    collectionNamed("Deque LinkedList AsLIFOQueue"),
	"java.util.Map":                      mapNamed(""),
	"java.util.SortedMap":                mapNamed("TreeMap SkipListMap SortedMap NavigableMap"),
	"java.util.NavigableMap":             mapNamed("TreeMap SkipListMap NavigableMap"),
	"java.util.concurrent.ConcurrentMap": mapNamed("Concurrent"),
}

// named accepts classes of the JDK by their simple names.
func named(simple string) func(*class, bool) bool {
	return func(c *class, jdk bool) bool {
		return !jdk || strings.Contains(" "+simple+" ", " "+c.name[strings.LastIndexByte(c.name, '.')+1:]+" ")
	}
}

// collectionNamed accepts collections whose names contain one of the words.
func collectionNamed(words string) func(*class, bool) bool {
	return func(c *class, jdk bool) bool {
		isMap := c.mapping || c.stream != "" && strings.HasSuffix(c.name, "Map")
		isCollection := c.list && c.component == "" || c.stream != "" && !isMap && strings.Contains(c.name, "Collections$") || c.name == keySetView
		return isCollection && (!jdk || oneOf(c.name, words))
	}
}

func mapNamed(words string) func(*class, bool) bool {
	return func(c *class, jdk bool) bool {
		isMap := c.mapping || c.stream != "" && strings.HasSuffix(c.name, "Map")
		return isMap && (!jdk || oneOf(c.name, words))
	}
}

func oneOf(name, words string) bool {
	if words == "" {
		return true
	}
	for word := range strings.FieldsSeq(words) {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
