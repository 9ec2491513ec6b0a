package kryo5

import (
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// catalog is the set of classes that this codec knows without options: those of the
// JDK and a few others. It is built from the options and never changed.
type catalog struct {
	since   option.Release
	allowed []string // classes registered by name, in order of their ids
	byID    []*class
	byName  map[string]*class
}

func newCatalog(since option.Release, allowed []string) *catalog {
	k := &catalog{since: since, byID: make([]*class, idEnd), byName: map[string]*class{}}
	for _, name := range allowed {
		if !numbered(name) {
			k.allowed = append(k.allowed, name)
		}
	}
	k.addRegistered()
	k.addScalars()
	k.addTexts()
	k.addParts()
	k.addArrays()
	k.addLists()
	k.addMaps()
	k.addHolders()
	k.addEnums()
	k.addStreams()
	k.addOld()
	return k
}

// numbered reports whether a class has an id without allowedClasses.
func numbered(name string) bool {
	if _, primitive := primitiveIDs[name]; primitive {
		return true
	}
	switch strings.TrimPrefix(name, "java.lang.") {
	case "Integer", "String", "Float", "Boolean", "Byte", "Character", "Short", "Long", "Double":
		return strings.HasPrefix(name, "java.lang.")
	}
	return false
}

// idOf returns the id that allowedClasses gives a class, 0 for none.
func (k *catalog) idOf(name string) uint32 {
	for i, a := range k.allowed {
		if a == name {
			return uint32(idEnd + i)
		}
	}
	return 0
}

// isAllowed reports whether allowedClasses names the class: Kryo then takes its
// own serializer and not one of Redisson's.
func (k *catalog) isAllowed(name string) bool { return k.idOf(name) != 0 }

// add puts a class into the catalog. The last of several with one name counts.
func (k *catalog) add(c class) *class {
	c.wire = appendClassName(nil, c.name)
	if c.holds = heldBy(c.name); c.holds == holdsObject && c.bean != nil {
		c.holds = holdsField
	}
	if c.id == 0 {
		c.id = k.idOf(c.name)
	}
	k.byName[c.name] = &c
	if c.id != 0 && c.id < idEnd {
		k.byID[c.id] = &c
	}
	return &c
}

func (k *catalog) addRegistered() {
	wrapper := func(id uint32, name string, read func(*decoder, *class, *layout.Type) (any, error)) {
		k.add(class{id: id, name: "java.lang." + name, read: read, write: writeBasic, untracked: true})
	}
	wrapper(idInteger, "Integer", reader((*decoder).zz32))
	wrapper(idFloat, "Float", reader((*decoder).float32))
	wrapper(idBoolean, "Boolean", reader((*decoder).flag))
	wrapper(idByte, "Byte", reader((*decoder).int8))
	wrapper(idChar, "Character", reader((*decoder).char))
	wrapper(idShort, "Short", reader((*decoder).int16))
	wrapper(idLong, "Long", reader((*decoder).zz64))
	wrapper(idDouble, "Double", reader((*decoder).float64))
	k.add(class{id: idString, name: "java.lang.String", read: readString, write: writeBasic, acceptsNull: true, nullText: true})
}

func (k *catalog) addScalars() {
	k.add(class{name: "java.math.BigInteger", read: readBigInteger, write: writer(writeBigInteger), acceptsNull: true})
	k.add(class{name: "java.math.BigDecimal", read: readBigDecimal, write: writer(writeBigDecimal), acceptsNull: true})
	for _, name := range []string{"java.util.Date", "java.sql.Date", "java.sql.Time", "java.sql.Timestamp"} {
		k.add(class{name: name, read: readDate, write: writer(writeDate)})
	}
	k.add(class{name: "java.util.UUID", read: reader((*decoder).uuid), write: writer(writeUUID)})
	k.add(class{name: "java.util.Locale", read: reader((*decoder).locale), write: writer(writeLocale)})
	k.add(class{name: "java.util.regex.Pattern", read: reader((*decoder).pattern), write: writer(writePattern)})
	k.add(class{name: "java.util.BitSet", read: reader((*decoder).bitSet), write: writer(writeBitSet)})
	k.add(class{name: "java.lang.Class", read: readClassRef, write: writer(writeClassRef), acceptsNull: true})
	for _, name := range []string{"java.util.GregorianCalendar", "java.util.Calendar"} {
		k.add(class{name: name, read: readCalendar, write: writer(writeCalendar)})
	}
	for _, name := range []string{
		"java.lang.Object", "java.lang.String$CaseInsensitiveComparator", "java.util.Collections$ReverseComparator",
		"org.redisson.spring.cache.NullValue", "org.springframework.cache.support.NullValue",
	} {
		k.add(class{name: name, read: readStateless, write: writer(writeStateless), zeroWidth: true})
	}
}

// addTexts adds the classes whose body is one string.
func (k *catalog) addTexts() {
	for _, t := range jdk.All() {
		if t.Go == reflect.TypeFor[java.Text]() && t.Class != "" {
			k.add(class{name: t.Class, read: readText, write: writer(writeText), acceptsNull: t.Nullable, nullText: t.Nullable})
		}
	}
}

// addOld puts the layouts of older writers in the place of the newest ones, where
// the version asks for them or a class is registered before Redisson's serializers.
func (k *catalog) addOld() {
	older := func(v option.Release, name string) bool { return k.since.Before(v) || k.isAllowed(name) }
	for _, name := range []string{"java.util.UUID", "java.util.regex.Pattern"} {
		if older(option.Release{3, 19, 1}, name) {
			k.add(oldFields(jdk.OfClass(name)))
		}
	}
	for name, kind := range atomics {
		if older(option.Release{3, 46, 0}, name) {
			k.add(kind.old(name))
		}
	}
	if older(option.Release{4, 7, 0}, keySetView) {
		k.list(class{shape: shape{noNull: true, readOnly: true}}, "concurrent.ConcurrentHashMap$KeySetView")
	}
}

// prefixes of classes that differ in name alone.
const charsetPrefix = "sun.nio.cs."

// find returns the class of that name, nil for one that is not known. Arrays are
// the business of a world, since their elements may be classes of the user.
func (k *catalog) find(name string) *class {
	if c := k.byName[name]; c != nil {
		return c
	}
	if strings.HasPrefix(name, charsetPrefix) {
		return &class{name: name, wire: appendClassName(nil, name), id: k.idOf(name), read: readText, write: writer(writeText)}
	}
	return nil
}
