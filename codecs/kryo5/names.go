package kryo5

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
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
		return c == nil || kind.takes(c, class)
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
	to, isArray := jdk.Component(declared)
	from, ok := jdk.Component(class)
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

// declared is a type that fields are declared as and that many classes have.
type declared struct {
	kind  byte   // 'N' of names, 'C' of collections, 'M' of maps
	words string // the simple names, or what the names of the classes in the JDK contain
}

// declaredKinds are such types. Of classes outside the JDK only the layout is looked at.
var declaredKinds = map[string]declared{
	"java.lang.Number":                   {'N', "Integer Long Double Float Short Byte BigInteger BigDecimal AtomicInteger AtomicLong"},
	"java.lang.CharSequence":             {'N', "String StringBuilder StringBuffer"},
	"java.lang.Iterable":                 {'C', ""},
	"java.util.Collection":               {'C', ""},
	"java.util.List":                     {'C', "List Vector Stack"},
	"java.util.Set":                      {'C', "Set"},
	"java.util.SortedSet":                {'C', "TreeSet SkipListSet SortedSet NavigableSet EmptyNavigable KeySet"},
	"java.util.NavigableSet":             {'C', "TreeSet SkipListSet NavigableSet EmptyNavigable KeySet"},
	"java.util.Queue":                    {'C', "Queue Deque LinkedList"},
	"java.util.Deque":                    {'C', "Deque LinkedList AsLIFOQueue"},
	"java.util.Map":                      {'M', ""},
	"java.util.SortedMap":                {'M', "TreeMap SkipListMap SortedMap NavigableMap"},
	"java.util.NavigableMap":             {'M', "TreeMap SkipListMap NavigableMap"},
	"java.util.concurrent.ConcurrentMap": {'M', "Concurrent"},
}

// takes reports whether class has the type.
func (t declared) takes(c *class, class string) bool {
	jdk := javaName(class)
	isMap := c.mapping || c.stream != "" && strings.HasSuffix(c.name, "Map")
	isCollection := c.list && c.component == "" || c.stream != "" && !isMap && strings.Contains(c.name, "Collections$") || c.name == keySetView
	switch {
	case t.kind == 'N':
		return !jdk || strings.Contains(" "+t.words+" ", " "+c.name[strings.LastIndexByte(c.name, '.')+1:]+" ")
	case t.kind == 'M' && !isMap, t.kind == 'C' && !isCollection:
		return false
	case !jdk || t.words == "":
		return true
	case t.kind == 'C' && strings.HasPrefix(t.words, "List") && strings.HasSuffix(c.name, "Set"): // ConcurrentSkipListSet
		return false
	}
	return slices.ContainsFunc(strings.Fields(t.words), func(word string) bool { return strings.Contains(c.name, word) })
}

// javaName reports whether the JDK has the class, by its name.
func javaName(name string) bool {
	for _, prefix := range [...]string{"java.", "javax.", "sun.", "jdk.", "com.sun."} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasPrefix(name, "[") && len(name) == 2
}

// throwableName reports whether a class of the JDK is a Throwable, by its name.
func throwableName(name string) bool {
	return javaName(name) && (strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Error") || name == throwable)
}

// appendClassName writes a class name, which is bare ASCII at any length of two
// and more.
func appendClassName(dst []byte, s string) []byte {
	if len(s) < 2 || !isASCII([]byte(s)) {
		out, _ := appendString(dst, s)
		return out
	}
	dst = append(dst, s...)
	dst[len(dst)-1] |= 0x80
	return dst
}
