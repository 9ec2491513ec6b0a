package databind

import (
	"strings"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// Rules are the facts by which the codecs of the family and the releases of
// Redisson differ. They are fixed when a codec is built.
type Rules struct {
	// Jackson is 2 or 3: which major release of Jackson the Java codec uses.
	Jackson int
	// Types says that class ids are on the wire; the Typed codecs and those of a
	// bare Jackson 3 mapper, which also writes null properties, write none.
	Types bool
	// Release is the release of Redisson whose bytes are written, and read where
	// bytes alone do not tell.
	Release option.Release
	// First is the first release of Redisson that has the codec; zero where all
	// that are known have it. Options that name an older one are refused.
	First option.Release
	// Whole says that nothing may follow the value with Jackson 2 either.
	Whole bool
	// mapper is the service's own ObjectMapper; zero for Redisson's.
	mapper Mapper
	// date and local are its patterns: of java.util.Date, and of java.time by class.
	date  *pattern
	local map[string]*pattern
	// zone is that of its setTimeZone, nil for none.
	zone *time.Location
	// OwnDates says that the format has serializers of its own for java.util.Date, and with
	// Jackson 3 for enums, which look at no annotation.
	OwnDates bool
	// shape is what the annotations of a field say of its values; longText says that a Long is
	// a text, and ordinals that an enum is a number.
	shape              java.FieldShape
	longText, ordinals bool
	// enums are the texts of enum constants that are not their names, by class and name.
	enums map[string]map[string]enumText
}

// bareUUID reports whether a UUID is a bare text where the declared class is UUID:
// Redisson marked it as typed in 4.2.0.
func (r *Rules) bareUUID() bool {
	return !r.Types || r.own() && !r.everything() || r.Release.Before(option.Release{4, 2, 0})
}

// bareNaN reports whether a Double that is not finite is bare in Object slots, as
// Jackson before 2.10 has it.
func (r *Rules) bareNaN() bool { return !r.Types || r.Release.Before(option.Release{3, 11, 6}) }

// Strict reports whether nothing may follow the value: Java's codecs on Jackson 3 insist
// on it, those on Jackson 2 never look.
func (r *Rules) Strict() bool { return r.Jackson == 3 || r.Whole }

// limits fills in the defaults: Jackson 3 reads at most 500 containers within each
// other, wrapper arrays included.
func (r *Rules) limits(l codecs.Limits) codecs.Limits {
	if l.Depth == 0 && r.Jackson == 3 {
		l.Depth = 500
	}
	return l.WithDefaults()
}

// keepsNulls reports whether properties and map entries that are null are written.
func (r *Rules) keepsNulls() bool { return r.Jackson == 3 && !r.Types }

// optionals reports whether Optional is written as what it holds.
func (r *Rules) optionals() bool { return r.Jackson == 3 || r.mapper.Optionals }

// bareSingle reports whether a list of n elements, whose class is not named beside it, is written
// as its only element.
func (r *Rules) bareSingle(n int) bool { return n == 1 && r.mapper.Singles == SinglesBare }

// takesSingle reports whether a value that is no array is read as a list of it.
func (r *Rules) takesSingle() bool { return r.mapper.Singles != SinglesInArrays }

// keepsOrder reports whether the components of a record are written in their
// order, as those of its constructor. With Redisson's mapper of Jackson 2 they are
// sorted like all properties.
func (r *Rules) keepsOrder() bool { return r.Jackson == 3 }

// leaksUUID reports whether a UUID names its class where it is declared, although no
// others do: the mix-in of 4.2.0 stayed in TypedJsonJacksonCodec until 4.5.0.
func (r *Rules) leaksUUID() bool {
	return r.Jackson == 2 && !r.Types && !r.Release.Before(option.Release{4, 2, 0}) && r.Release.Before(option.Release{4, 5, 0})
}

// timesForm returns how java.time is written.
func (r *Rules) timesForm() timesForm {
	form := timesForm(r.mapper.Dates)
	if r.Jackson == 3 {
		form = times3
	}
	switch {
	case form == timesNone:
	case r.shape == java.ShapeNumber:
		form = timesNumbers
	case r.shape == java.ShapeText:
		form = timesISO
	}
	return form
}

// dateZone returns what stands for UTC in a date that is a text, and whether dates
// are texts.
func (r *Rules) dateZone() (zone string, text bool) {
	switch {
	case r.Jackson == 3:
		zone, text = "Z", true
	case r.Release.Before(option.Release{3, 13, 3}): // Jackson 2.10 and older
		zone = "+0000"
	default:
		zone = "+00:00"
	}
	text = text || timesForm(r.mapper.Dates) == timesText || r.date != nil || r.shape == java.ShapeText
	return zone, text && r.shape != java.ShapeNumber
}

// final reports whether values of a class are bare where it is declared: Jackson
// names no class that has no subclasses. Redisson's mapper of Jackson 2 excepts
// Long, and since 4.2.0 UUID.
func (r *Rules) final(class string) bool {
	switch {
	case r.everything():
		return false
	case r.concrete():
		return bridge.OfJDK(class) && !abstractJDK(class)
	}
	switch class {
	case classJavaLong:
		return r.Jackson == 3 || r.own()
	case classUUID:
		return r.bareUUID()
	case "java.time.DayOfWeek", "java.time.Month", "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble":
		return true
	}
	return finalScalar(class) || finalText(class) || timeClass(class)
}

// finalText reports whether a class of the JDK that is shown as text is final.
func finalText(class string) bool {
	return jdk.Final(class) && !timeClass(class) && class != classUUID || class == "java.net.Inet4Address" || class == "java.net.Inet6Address"
}

// textID returns how Jackson names the class of a text: some by their superclass.
func (r *Rules) textID(class string) string {
	switch class {
	case "sun.util.calendar.ZoneInfo", "java.util.SimpleTimeZone":
		return "java.util.TimeZone"
	case "java.net.Inet4Address", "java.net.Inet6Address":
		return "java.net.InetAddress"
	case "java.time.ZoneRegion":
		if !r.Release.Before(option.Release{3, 13, 3}) { // Jackson 2.11
			return "java.time.ZoneId"
		}
	}
	return class
}

// bareArray reports whether an array of this class is written without it where the
// array type is declared, and at the root: those whose innermost elements are
// primitive or of a final class.
func (r *Rules) bareArray(class string, beans map[string]*bean) bool {
	switch {
	case !descriptor(class) || r.everything():
		return false
	case r.concrete() && r.mapper.Typing != NonConcreteAndArrays:
		return true
	}
	elem := strings.TrimLeft(class, "[")
	if len(elem) == 1 {
		return true
	}
	elem = elem[1 : len(elem)-1]
	if b := beans[elem]; b != nil {
		return b.final
	}
	return r.final(elem) || elem == classUUID
}

// TypeID reports whether s is a class name as Jackson writes it as a type id:
// a dotted binary name, possibly with <…>, or an array descriptor. In doubt
// (a host name has dots too) it asks for a class part beginning with a capital.
func TypeID(s string) bool {
	if strings.HasPrefix(s, "[") {
		return descriptor(s)
	}
	name, generics, generic := strings.Cut(s, "<")
	if generic && !strings.HasSuffix(generics, ">") {
		return false
	}
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || dot == len(name)-1 {
		return false
	}
	for i := range len(name) {
		if !IdentifierByte(name[i]) && name[i] != '.' {
			return false
		}
	}
	c := name[dot+1]
	return c >= 'A' && c <= 'Z' || c >= 0x80 || strings.HasPrefix(name, "java.")
}

// IdentifierByte reports whether a byte may stand in a name of Java.
func IdentifierByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// descriptor reports whether s is an array descriptor: [I, [[J, [Lx.Y;.
func descriptor(s string) bool {
	elem := strings.TrimLeft(s, "[")
	switch {
	case len(elem) == len(s) || len(s)-len(elem) > 255:
		return false
	case len(elem) == 1:
		return strings.Contains("BCDFIJSZ", elem)
	}
	return len(elem) > 2 && elem[0] == 'L' && elem[len(elem)-1] == ';'
}

// component returns the class of the elements of array class s: "[I" for
// "[[I", "java.lang.Long" for "[Ljava.lang.Long;", "int" is "I".
func component(s string) string {
	if len(s) < 2 || s[0] != '[' {
		return ""
	}
	elem := s[1:]
	if len(elem) > 2 && elem[0] == 'L' {
		return elem[1 : len(elem)-1]
	}
	return elem
}

// mapClass reports whether an object of this class is a map, so that its
// members are entries. Only those of the JDK are known; another map is read as
// a bean, which is written back the same way.
func mapClass(class string) bool {
	name, _, _ := strings.Cut(class, "<")
	if !strings.HasPrefix(name, "java.util.") {
		return false
	}
	return strings.HasSuffix(name, "Map") || strings.HasSuffix(name, "$Map1") || strings.HasSuffix(name, "$MapN") ||
		name == "java.util.Hashtable" || name == "java.util.Properties"
}

// listClass reports whether values of this class are JSON arrays: the lists,
// sets and queues of the JDK.
func listClass(class string) bool {
	name, _, _ := strings.Cut(class, "<")
	if !strings.HasPrefix(name, "java.util.") || name == "java.util.BitSet" {
		return false
	}
	for _, end := range [...]string{"List", "Set", "Queue", "Deque", "Vector", "Stack", "Collection"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return finalList(class) && !mapClass(class)
}

// objectSlots reports whether the elements of a container of this class are
// declared as Object, so that Jackson names the class of each.
func objectSlots(class string) bool {
	if class == "[Ljava.lang.Object;" {
		return true
	}
	return strings.HasPrefix(class, "java.util.") && !strings.Contains(class, "<")
}

// finalList reports whether a collection or map of this class is written bare
// at the root: its class is final, so that Jackson sees no need to name it, and
// cannot read it back.
func finalList(class string) bool {
	name, ok := strings.CutPrefix(class, "java.util.ImmutableCollections$")
	return ok && (strings.HasSuffix(name, "12") || strings.HasSuffix(name, "N") || name == "Map1")
}

// finalScalar reports whether Jackson writes values of this class bare where
// the class is declared. Long is final too, but Redisson asks for its class.
func finalScalar(class string) bool {
	switch class {
	case "java.lang.String", "java.lang.Integer", "java.lang.Short", "java.lang.Byte", "java.lang.Boolean",
		"java.lang.Double", "java.lang.Float", "java.lang.Character":
		return true
	}
	return false
}

// classFacts are what the name of a class tells.
type classFacts struct {
	list, mapped, tree, time bool
	array                    bool   // an array of Java
	slots                    bool   // what it holds is declared as Object
	set, keys                string // the enum of an EnumSet or EnumMap
}

func factsOf(class string) classFacts {
	f := classFacts{
		list: listClass(class), mapped: mapClass(class), tree: strings.HasPrefix(class, nodePackage), time: timeClass(class),
		array: descriptor(class), slots: objectSlots(class),
	}
	f.set, f.keys = enumOfID(class, enumSetID, ">"), enumOfID(class, enumMapID, enumMapValue)
	return f
}

// ClassNone is the Class of a [java.List] that represents an array whose class is not
// named; see package jackson.
const ClassNone = "[]"

// These mark bare values whose slot is not known and that an Object slot would
// wrap: a number that only a long holds, a float, a double that is not finite, bytes.
// A java.lang.Long is an int64 and written in its wrapper.
const (
	classLong   = "long"
	classFloat  = "float"
	classDouble = "double"
	classBytes  = "byte[]"
	// With JavaTimeModule, seconds with more digits than a double has.
	classDecimal = "decimal"
)

// classOpaque is what Java makes of an extension type of MessagePack.
const classOpaque = "org.msgpack.jackson.dataformat.MessagePackExtensionType"

// Scalar returns the value of a Java class that package java has no Go value for: an
// object with one field without a name.
func Scalar(class string, value any) *java.Object {
	return &java.Object{Class: class, Fields: []java.Field{{Value: value}}}
}

// ScalarValue returns the value that [Scalar] was given, and whether o is one.
func ScalarValue(o *java.Object) (any, bool) {
	if o == nil || o.Class == "" || len(o.Fields) != 1 || o.Fields[0].Name != "" {
		return nil, false
	}
	return o.Fields[0].Value, true
}

// MaxNumber bounds the characters of one number, as Jackson does since 2.15:
// reading n digits takes more than linear time.
const MaxNumber = 1000

// prefix of all nodes of Jackson's own tree model, inside which no class is named.
const nodePackage = "com.fasterxml.jackson.databind.node."
