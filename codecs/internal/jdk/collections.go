package jdk

// Lists maps the declared types of slices to the class written. In front
// stands how its elements are ordered, see keyorder.Marks.
var Lists = map[string]string{
	"": "java.util.ArrayList", "java.lang.Iterable": "java.util.ArrayList", "java.util.Collection": "java.util.ArrayList",
	"java.util.AbstractCollection": "java.util.ArrayList", "java.util.AbstractList": "java.util.ArrayList",
	"java.util.List": "java.util.ArrayList", "java.util.ArrayList": "java.util.ArrayList", "java.util.RandomAccess": "java.util.ArrayList",
	"java.util.LinkedList": "java.util.LinkedList", "java.util.AbstractSequentialList": "java.util.LinkedList",
	"java.util.Vector": "java.util.Vector", "java.util.Stack": "java.util.Stack",
	"java.util.Queue": "java.util.LinkedList", "java.util.Deque": "java.util.ArrayDeque",
	"java.util.ArrayDeque":                       "java.util.ArrayDeque",
	"java.util.PriorityQueue":                    ">java.util.PriorityQueue",
	"java.util.concurrent.PriorityBlockingQueue": ">java.util.concurrent.PriorityBlockingQueue",
	"java.util.concurrent.CopyOnWriteArrayList":  "java.util.concurrent.CopyOnWriteArrayList",
	"java.util.concurrent.ConcurrentLinkedQueue": "java.util.concurrent.ConcurrentLinkedQueue",
	"java.util.concurrent.ConcurrentLinkedDeque": "java.util.concurrent.ConcurrentLinkedDeque",
	"java.util.concurrent.BlockingQueue":         "java.util.concurrent.LinkedBlockingQueue",
	"java.util.concurrent.LinkedBlockingQueue":   "java.util.concurrent.LinkedBlockingQueue",
	"java.util.concurrent.BlockingDeque":         "java.util.concurrent.LinkedBlockingDeque",
	"java.util.concurrent.LinkedBlockingDeque":   "java.util.concurrent.LinkedBlockingDeque",
	"java.util.Set":                              "!java.util.HashSet",
	"java.util.AbstractSet":                      "!java.util.HashSet",
	"java.util.HashSet":                          "!java.util.HashSet",
	"java.util.LinkedHashSet":                    "=java.util.LinkedHashSet",
	"java.util.concurrent.CopyOnWriteArraySet":   "=java.util.concurrent.CopyOnWriteArraySet",
	"java.util.SortedSet":                        "<java.util.TreeSet",
	"java.util.NavigableSet":                     "<java.util.TreeSet",
	"java.util.TreeSet":                          "<java.util.TreeSet",
	"java.util.concurrent.ConcurrentSkipListSet": "<java.util.concurrent.ConcurrentSkipListSet",
	"java.util.SequencedCollection":              "java.util.ArrayList",
	"java.util.SequencedSet":                     "=java.util.LinkedHashSet",
	"java.util.EnumSet":                          "~java.util.RegularEnumSet",
}

// Maps maps the declared types of maps to the class written. In front
// stands how its entries are ordered, see keyorder.Marks.
var Maps = map[string]string{
	"": "!java.util.HashMap", "java.util.Map": "!java.util.HashMap", "java.util.AbstractMap": "!java.util.HashMap",
	"java.util.HashMap":       "!java.util.HashMap",
	"java.util.LinkedHashMap": "java.util.LinkedHashMap", "java.util.SequencedMap": "java.util.LinkedHashMap",
	"java.util.SortedMap": "<java.util.TreeMap", "java.util.NavigableMap": "<java.util.TreeMap",
	"java.util.TreeMap":                           "<java.util.TreeMap",
	"java.util.concurrent.ConcurrentMap":          "#java.util.concurrent.ConcurrentHashMap",
	"java.util.concurrent.ConcurrentHashMap":      "#java.util.concurrent.ConcurrentHashMap",
	"java.util.concurrent.ConcurrentNavigableMap": "<java.util.concurrent.ConcurrentSkipListMap",
	"java.util.concurrent.ConcurrentSkipListMap":  "<java.util.concurrent.ConcurrentSkipListMap",
	"java.util.Hashtable":                         "%java.util.Hashtable",
	"java.util.Dictionary":                        "%java.util.Hashtable",
	"java.util.Properties":                        "#java.util.Properties",
	"java.util.EnumMap":                           "~java.util.EnumMap",
	// Their order in Java is that of identity hash codes, or of the JDK's version.
	"java.util.IdentityHashMap": "java.util.IdentityHashMap", "java.util.WeakHashMap": "java.util.WeakHashMap",
}

// Holder is a class whose objects hold one value in the field "value".
type Holder struct {
	Optional bool   // it has no field when it is empty
	Holds    string // the primitive that it holds; empty for objects
}

// Holders are those classes by their names.
var Holders = map[string]*Holder{
	"java.util.Optional":                          {Optional: true},
	"java.util.OptionalInt":                       {true, "int"},
	"java.util.OptionalLong":                      {true, "long"},
	"java.util.OptionalDouble":                    {true, "double"},
	"java.util.concurrent.atomic.AtomicBoolean":   {false, "boolean"},
	"java.util.concurrent.atomic.AtomicInteger":   {false, "int"},
	"java.util.concurrent.atomic.AtomicLong":      {false, "long"},
	"java.util.concurrent.atomic.AtomicReference": {},
}
