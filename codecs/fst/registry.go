package fst

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/option"
)

// firstID is the wire id of the first registered class, firstStreamID that of
// the first class that a payload names.
const (
	firstID       = 3
	firstStreamID = 1000
)

// DefaultVersion is the release of fast-serialization that Redisson 3.10.3 to
// 3.45 brought; 2.56, which 3.10.0 to 3.10.2 brought, has the same registry.
const DefaultVersion = "2.57"

// defaultClasses are the classes that FSTConfiguration.addDefaultClazzes of 2.45
// to 2.57 registers, in order.
var defaultClasses = strings.Fields(`
	java.lang.String java.lang.Byte java.lang.Short java.lang.Integer java.lang.Long java.lang.Float java.lang.Double
	java.math.BigDecimal java.math.BigInteger java.lang.Character java.lang.Boolean java.util.TreeMap java.util.HashMap
	java.util.ArrayList java.util.concurrent.ConcurrentHashMap java.net.URL java.util.Date java.sql.Date
	java.text.SimpleDateFormat java.util.TreeSet java.util.LinkedList java.util.SimpleTimeZone java.util.GregorianCalendar
	java.util.Vector java.util.Hashtable java.util.BitSet java.util.Locale java.lang.StringBuffer java.lang.StringBuilder
	java.lang.Object [Ljava.lang.Object; [[Ljava.lang.Object; [[[Ljava.lang.Object; [B [[B [C [[C [S [[S [I [[I [F [[F
	[D [[D [J [[J`)

// generation tells the registries apart.
type generation int

const (
	before245 generation = iota // 2.31 to 2.44: without long[]
	standard                    // 2.45 to 2.57
	three                       // 3.0: java.sql.Timestamp before Locale, more serializers
)

// parseVersion returns the generation of a release of fast-serialization.
func parseVersion(v string) (generation, error) {
	number, _, _ := strings.Cut(v, "-")
	r, err := option.ParseRelease(number)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%q is no release of fast-serialization: 2.31 to 2.57, or 3.0.x", v)
	case r.Before(option.Release{2, 31}):
		return 0, fmt.Errorf("%q numbers its classes in another way, which this codec does not know: 2.31 to 2.57, or 3.0.x", v)
	case r.Before(option.Release{2, 45}):
		return before245, nil
	case r.Before(option.Release{2, 58}):
		return standard, nil
	case r.Before(option.Release{3, 0}) || !r.Before(option.Release{3, 1}):
		return 0, fmt.Errorf("%q is not a release whose registry is known: 2.31 to 2.57, or 3.0.x", v)
	}
	return three, nil
}

// registry returns the names of the registered classes, the first of which has
// id firstID. What users register comes last, each followed by its array class.
func registry(g generation, registered []string) []string {
	var names []string
	for _, name := range defaultClasses {
		switch {
		case g == before245 && (name == "[J" || name == "[[J"):
			continue
		case g == three && name == "java.util.Locale":
			names = append(names, "java.sql.Timestamp")
		}
		names = append(names, name)
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		seen[name] = true
	}
	add := func(name string) {
		if !seen[name] { // registering a class again does nothing
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, name := range registered {
		add(name)
		if name[0] != '[' {
			add("[L" + name + ";")
		}
	}
	return names
}
