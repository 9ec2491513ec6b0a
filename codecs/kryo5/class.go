package kryo5

import "strings"

// class is one Java class as this codec reads and writes it.
type class struct {
	name string
	wire []byte // the name as written
	id   uint32 // wire id of the registered classes; 0 for those written by name
	read func(d *decoder, c *class) (any, error)

	// acceptsNull classes have a null of their own instead of a marker byte.
	acceptsNull bool
	// noNull containers make Java fail on null elements, keys or values.
	noNull bool
	// noNullKey maps make Java fail on null keys only.
	noNullKey bool
	// sorted containers begin with a comparator; null means natural order.
	sorted bool
	// natural containers compare what they hold; all sorted ones do.
	natural bool
	// distinct containers make Java fail on elements or keys that repeat.
	distinct bool
	// immutable lists and sets never say whether they hold null.
	immutable bool
	// fixed is the number of elements of a container that does not write it;
	// -1 for all others.
	fixed int
	// readOnly classes are ones that Java writes and cannot read back.
	readOnly bool
	// list and mapping say which Go form a container has.
	list, mapping bool
	// zeroWidth bodies take no bytes.
	zeroWidth bool
}

// Wire ids of the classes that Kryo registers.
const (
	idNull    = 0
	idByName  = 1
	idInteger = 2
	idString  = 3
	idFloat   = 4
	idBoolean = 5
	idByte    = 6
	idChar    = 7
	idShort   = 8
	idLong    = 9
	idDouble  = 10
	idEnd     = 11
)

// catalog is the set of classes this codec knows. It is built once and never
// changed.
type catalog struct {
	byID   [idEnd]*class
	byName map[string]*class
}

func newCatalog() *catalog {
	k := &catalog{byName: map[string]*class{}}
	k.addScalars()
	k.addLists()
	k.addMaps()
	return k
}

func (k *catalog) add(c class) {
	c.wire = appendName(nil, c.name)
	if c.id != 0 {
		k.byID[c.id] = &c
		return
	}
	k.byName[c.name] = &c
}

// writes reports whether values can be declared as the class: one that is
// written, or one of those in java.lang that stand for any or some scalar.
func (k *catalog) writes(class string) bool {
	if c := k.byName[class]; c != nil {
		return !c.readOnly
	}
	return strings.HasPrefix(class, "java.lang.")
}

func (k *catalog) addScalars() {
	registered := func(id uint32, name string, read func(d *decoder, c *class) (any, error)) {
		k.add(class{id: id, name: "java.lang." + name, read: read, acceptsNull: id == idString})
	}
	registered(idInteger, "Integer", readInteger)
	registered(idString, "String", readString)
	registered(idFloat, "Float", readFloat)
	registered(idBoolean, "Boolean", readBoolean)
	registered(idByte, "Byte", readByte)
	registered(idChar, "Character", readChar)
	registered(idShort, "Short", readShort)
	registered(idLong, "Long", readLong)
	registered(idDouble, "Double", readDouble)
	k.add(class{name: "[B", read: readBytes, acceptsNull: true})
	k.add(class{name: "java.math.BigInteger", read: readBigInteger, acceptsNull: true})
	k.add(class{name: "java.math.BigDecimal", read: readBigDecimal, acceptsNull: true})
	for _, name := range []string{"java.util.Date", "java.sql.Date", "java.sql.Time", "java.sql.Timestamp"} {
		k.add(class{name: name, read: readDate})
	}
	k.add(class{name: "java.time.Instant", read: readInstant})
	k.add(class{name: "java.time.Duration", read: readDuration})
	k.add(class{name: "java.time.LocalDate", read: readLocalDate})
	k.add(class{name: "java.time.LocalTime", read: readLocalTime})
	k.add(class{name: "java.time.LocalDateTime", read: readLocalDateTime})
}

func (k *catalog) addLists() {
	list := func(c class, names ...string) {
		c.fixed = or(c.fixed, -1)
		c.acceptsNull, c.list = c.fixed < 0, true
		c.read = readCollection
		for _, name := range names {
			c.name = "java.util." + name
			k.add(c)
		}
	}
	list(class{}, "ArrayList", "LinkedList", "HashSet", "LinkedHashSet", "Vector", "Stack", "Arrays$ArrayList",
		"concurrent.CopyOnWriteArrayList", "concurrent.CopyOnWriteArraySet")
	list(class{noNull: true}, "ArrayDeque", "concurrent.ConcurrentLinkedQueue", "concurrent.ConcurrentLinkedDeque",
		"concurrent.LinkedBlockingQueue", "concurrent.LinkedBlockingDeque")
	list(class{noNull: true, natural: true}, "concurrent.ConcurrentSkipListSet")
	list(class{noNull: true, natural: true, sorted: true}, "TreeSet", "PriorityQueue")
	list(class{noNull: true, immutable: true}, "ImmutableCollections$ListN", "ImmutableCollections$List12",
		"ImmutableCollections$SubList")
	list(class{noNull: true, immutable: true, distinct: true}, "ImmutableCollections$SetN", "ImmutableCollections$Set12")
	list(class{readOnly: true}, "ArrayList$SubList", "Collections$SetFromMap", "HashMap$Values", "HashMap$KeySet")
	for _, name := range []string{"EmptyList", "EmptySet"} {
		k.add(class{name: "java.util.Collections$" + name, read: readEmptyList, list: true, zeroWidth: true})
	}
	list(class{fixed: 1}, "Collections$SingletonList", "Collections$SingletonSet")
}

func (k *catalog) addMaps() {
	mapping := func(c class, names ...string) {
		c.fixed = or(c.fixed, -1)
		c.acceptsNull, c.mapping = c.fixed < 0, true
		c.read = readMap
		for _, name := range names {
			c.name = "java.util." + name
			k.add(c)
		}
	}
	mapping(class{}, "HashMap", "LinkedHashMap", "WeakHashMap", "IdentityHashMap")
	mapping(class{noNull: true}, "concurrent.ConcurrentHashMap", "Hashtable", "Properties")
	mapping(class{noNullKey: true, natural: true, sorted: true}, "TreeMap")
	mapping(class{noNull: true, natural: true, sorted: true}, "concurrent.ConcurrentSkipListMap")
	mapping(class{noNull: true, immutable: true, distinct: true}, "ImmutableCollections$Map1", "ImmutableCollections$MapN")
	k.add(class{name: "java.util.Collections$EmptyMap", read: readEmptyMap, mapping: true, zeroWidth: true})
	mapping(class{fixed: 1}, "Collections$SingletonMap")
}

func or(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}
