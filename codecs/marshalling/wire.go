package marshalling

// Lead bytes of objects and of class descriptors. River uses one number space
// for both; the names follow what a byte means where it is met most.
const (
	idNull           = 0x01
	idObjectFar      = 0x02
	idPredefined     = 0x03
	idNewObject      = 0x04
	idNewUnshared    = 0x05
	idClassFar       = 0x06
	idPlainClass     = 0x07
	idProxyClass     = 0x08
	idSerializable   = 0x09
	idExternalizable = 0x0A
	idEnumClass      = 0x0C
	idArrayClass     = 0x0D

	idStringClass  = 0x14
	idClassClass   = 0x15
	idObjectClass  = 0x16
	idEnumBase     = 0x17
	idBooleanArray = 0x18
	idDoubleArray  = 0x1F
	idBoolean      = 0x20 // primitives: boolean byte short int long char float double
	idByte         = 0x21
	idShort        = 0x22
	idInt          = 0x23
	idLong         = 0x24
	idChar         = 0x25
	idFloat        = 0x26
	idDouble       = 0x27
	idVoid         = 0x28
	idBoxedVoid    = 0x31

	idBlockSmall  = 0x32
	idBlockMedium = 0x33
	idBlockLarge  = 0x34
	idBlockEnd    = 0x35

	idClearClasses = 0x36
	idClearObjects = 0x37

	idWriteObject    = 0x38
	idObjectNear     = 0x39
	idObjectNearish  = 0x3A
	idClassNear      = 0x3B
	idClassNearish   = 0x3C
	idEmptyString    = 0x3D
	idString         = 0x3E
	idStringMedium   = 0x3F
	idStringLarge    = 0x40
	idArrayEmpty     = 0x41 // …0x44, unshared 0x45…0x48
	idArrayLast      = 0x48
	idByteValue      = 0x49
	idShortValue     = 0x4A
	idIntegerValue   = 0x4B
	idLongValue      = 0x4C
	idCharValue      = 0x4D
	idFloatValue     = 0x4E
	idDoubleValue    = 0x4F
	idTrue           = 0x50
	idFalse          = 0x51
	idCollection     = 0x52 // empty, …0x55, unshared 0x56…0x59
	idCollectionLast = 0x59

	idArrayList        = 0x5A
	idLinkedList       = 0x5B
	idSingletonList    = 0x5C
	idEmptyList        = 0x5D
	idHashSet          = 0x5E
	idLinkedHashSet    = 0x5F
	idTreeSet          = 0x60
	idSingletonSet     = 0x61
	idEmptySet         = 0x62
	idIdentityHashMap  = 0x63
	idHashMap          = 0x64
	idHashtable        = 0x65
	idLinkedHashMap    = 0x66
	idTreeMap          = 0x67
	idSingletonMap     = 0x68
	idEmptyMap         = 0x69
	idEnumSet          = 0x6A // the type byte of a set; the class is its serialization proxy
	idEnumSetClass     = 0x6B
	idEnumMap          = 0x6C
	idAbstractFirst    = 0x6D // AbstractCollection, Set, List, Queue, SequentialList
	idAbstractLast     = 0x71
	idCopyOnWriteList  = 0x73
	idCopyOnWriteSet   = 0x74
	idVector           = 0x75
	idStack            = 0x76
	idPair             = 0x77
	idArrayDeque       = 0x78
	idReverseOrder     = 0x79
	idReverseOf        = 0x7A
	idCopies           = 0x7B
	idUnmodifiable     = 0x7C // …0x82: Collection List Map Set SortedSet SortedMap Map.entrySet
	idUnmodifiableList = 0x7D
	idUnmodifiableSet  = 0x7F
	idLast             = 0x82
)

// predefinedNames are the classes that one byte stands for.
var predefinedNames = [256]string{
	idStringClass: "java.lang.String", idClassClass: "java.lang.Class", idObjectClass: "java.lang.Object", idEnumBase: "java.lang.Enum",
	0x18: "[Z", 0x19: "[B", 0x1A: "[S", 0x1B: "[I", 0x1C: "[J", 0x1D: "[C", 0x1E: "[F", 0x1F: "[D",
	idBoolean: "boolean", idByte: "byte", idShort: "short", idInt: "int", idLong: "long", idChar: "char", idFloat: "float", idDouble: "double",
	idVoid: "void", 0x29: "java.lang.Boolean", 0x2A: "java.lang.Byte", 0x2B: "java.lang.Short", 0x2C: "java.lang.Integer",
	0x2D: "java.lang.Long", 0x2E: "java.lang.Character", 0x2F: "java.lang.Float", 0x30: "java.lang.Double", idBoxedVoid: "java.lang.Void",
	idArrayList: "java.util.ArrayList", idLinkedList: "java.util.LinkedList",
	idSingletonList: "java.util.Collections$SingletonList", idEmptyList: "java.util.Collections$EmptyList",
	idHashSet: "java.util.HashSet", idLinkedHashSet: "java.util.LinkedHashSet", idTreeSet: "java.util.TreeSet",
	idSingletonSet: "java.util.Collections$SingletonSet", idEmptySet: "java.util.Collections$EmptySet",
	idIdentityHashMap: "java.util.IdentityHashMap", idHashMap: "java.util.HashMap", idHashtable: "java.util.Hashtable",
	idLinkedHashMap: "java.util.LinkedHashMap", idTreeMap: "java.util.TreeMap",
	idSingletonMap: "java.util.Collections$SingletonMap", idEmptyMap: "java.util.Collections$EmptyMap",
	idEnumSet: "java.util.EnumSet$SerializationProxy", idEnumSetClass: "java.util.EnumSet", idEnumMap: "java.util.EnumMap",
	0x6D: "java.util.AbstractCollection", 0x6E: "java.util.AbstractSet", 0x6F: "java.util.AbstractList",
	0x70: "java.util.AbstractQueue", 0x71: "java.util.AbstractSequentialList",
	0x72: "java.util.concurrent.ConcurrentHashMap", idCopyOnWriteList: "java.util.concurrent.CopyOnWriteArrayList",
	idCopyOnWriteSet: "java.util.concurrent.CopyOnWriteArraySet", idVector: "java.util.Vector", idStack: "java.util.Stack",
	idPair: "org.jboss.marshalling.Pair", idArrayDeque: "java.util.ArrayDeque",
	idReverseOrder: "java.util.Collections$ReverseComparator", idReverseOf: "java.util.Collections$ReverseComparator2",
	idCopies: "java.util.Collections$CopiesList", 0x7C: "java.util.Collections$UnmodifiableCollection",
	0x7D: "java.util.Collections$UnmodifiableList", 0x7E: "java.util.Collections$UnmodifiableMap",
	0x7F: "java.util.Collections$UnmodifiableSet", 0x80: "java.util.Collections$UnmodifiableSortedSet",
	0x81: "java.util.Collections$UnmodifiableSortedMap", 0x82: "java.util.Collections$UnmodifiableMap$UnmodifiableEntrySet",
}

// predefinedIDs is the way back, for the classes that library 2.x writes as one
// byte. Both classes that wrap an unmodifiable list have the same.
var predefinedIDs = func() map[string]byte {
	ids := map[string]byte{}
	for i, name := range predefinedNames {
		switch id := byte(i); id {
		case idHashSet, idLinkedHashSet, idTreeSet, idHashMap, idHashtable, idLinkedHashMap, idTreeMap, 0x72:
		default:
			if name != "" {
				ids[name] = id
			}
		}
	}
	ids[classRandomAccess] = idUnmodifiableList
	return ids
}()

// objectOnly reports the ids that are no java.lang.Class value where an object
// may be: there they are the object itself, or nothing.
func objectOnly(id byte) bool {
	switch id {
	case idSingletonList, idEmptyList, idSingletonSet, idEmptySet, idSingletonMap, idEmptyMap,
		idPair, idArrayDeque, idReverseOrder, idReverseOf:
		return true
	}
	return id >= idUnmodifiable && id <= idLast
}
