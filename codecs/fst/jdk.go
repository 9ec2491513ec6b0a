package fst

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/java"
)

// jdkClass describes a class of the JDK that FST writes by its fields.
type jdkClass struct {
	super  string // empty for java.lang.Object and superclasses without fields
	hook   bool   // has a private writeObject or readObject, writeReplace or readResolve
	fields []java.ClassField
	form   form
	tail   func(d *decoder, b *build) error // what its writeObject writes behind the fields
	finish func(d *decoder, b *build) error
	shaped bool // it is finished as the object streams have it, see shapedAs
	// older is the class in JDK 8, and wasOlder tells which one wrote what follows.
	older    *jdkClass
	wasOlder func(d *decoder) bool
}

// jdkTable holds the private fields of JDK 9 to 17, which those of JDK 8 equal
// unless a line says otherwise; seen by reflection on JDK 11 and 17.
var jdkTable = jdkClasses()

// table builds jdkTable.
type table map[string]*jdkClass

// add describes a class. Names without a package are in java.util; a hook is
// marked by a ! before the name. Fields are "type name" separated by commas.
func (t table) add(name, super, fields string, more jdkClass) {
	name, more.hook = strings.CutPrefix(name, "!")
	more.super = qualified(super)
	for part := range strings.SplitSeq(fields, ",") {
		typ, field, ok := strings.Cut(strings.TrimSpace(part), " ")
		if !ok {
			continue
		}
		elem := strings.TrimRight(typ, "[]")
		expr := java.TypeExpr{Class: elem, Dims: (len(typ) - len(elem)) / 2}
		if jdk.Primitives[elem] == "" {
			expr.Class = qualified(elem)
		}
		more.fields = append(more.fields, java.ClassField{Name: field, Type: expr})
	}
	t[qualified(name)] = &more
}

// older describes the fields of a class in JDK 8, where it is plain.
func (t table) older(name, fields string, wasOlder func(d *decoder) bool) {
	c := t[qualified(name)]
	scratch := table{}
	scratch.add(name, "", fields, jdkClass{form: c.form, finish: c.finish, shaped: c.shaped})
	c.older, c.wasOlder = scratch[qualified(name)], wasOlder
}

func qualified(name string) string {
	switch {
	case name == "" || strings.ContainsRune(name, '.'):
		return name
	case name == "Object" || name == "String" || name == "Throwable" || name == "StackTraceElement" || name == "Class":
		return "java.lang." + name
	}
	return "java.util." + name
}

func jdkClasses() table {
	t := table{}
	t.add("java.lang.Object", "", "", jdkClass{})
	for _, name := range []string{
		"java.lang.Number", "java.lang.Record", "AbstractCollection", "AbstractList", "AbstractSet", "AbstractMap",
		"AbstractQueue", "AbstractSequentialList", "EventObject", "java.net.SocketAddress", "java.text.Format",
	} {
		t.add(name, "", "", jdkClass{})
	}
	t.add("Stack", "Vector", "", jdkClass{})
	t.add("Properties", "Hashtable", "Properties defaults", jdkClass{})
	t.collections()
	t.wrappers()
	t.maps()
	t.concurrent()
	t.values()
	t.others()
	return t
}

func (t table) collections() {
	list := func(tail func(d *decoder, b *build) error) jdkClass { return jdkClass{form: formList, tail: tail} }
	t.add("!ArrayList", "", "int size", list(countAndSized))
	t.add("!LinkedList", "", "", list(elements))
	t.add("!ArrayDeque", "", "", list(elements))
	t.add("!HashSet", "", "", list(hashSet))
	t.add("LinkedHashSet", "HashSet", "", list(nil))
	t.add("!TreeSet", "", "", list(treeSet))
	t.add("!PriorityQueue", "", "int size, Comparator comparator", jdkClass{form: formList, tail: countAndSized, finish: comparator})
	t.add("!java.util.concurrent.CopyOnWriteArrayList", "", "", list(elements))
	t.add("java.util.concurrent.CopyOnWriteArraySet", "", "java.util.concurrent.CopyOnWriteArrayList al", shapedList)
	t.add("!CollSer", "", "int tag", jdkClass{form: formValue, tail: collSer, shaped: true})
	for _, name := range []string{"EmptyList", "EmptySet"} {
		t.add("!Collections$"+name, "", "", list(nil))
	}
	t.add("!Collections$EmptyMap", "", "", jdkClass{form: formMap})
	for _, name := range []string{jdkclass.KotlinEmptyList, jdkclass.KotlinEmptySet} {
		t.add("!"+name, "", "", list(nil))
	}
	t.add("!"+jdkclass.KotlinEmptyMap, "", "", jdkClass{form: formMap})
}

func (t table) wrappers() {
	t.add("Collections$SingletonList", "", "Object element", shapedList)
	t.add("Collections$SingletonSet", "", "Object element", shapedList)
	t.add("Collections$SingletonMap", "", "Object k, Object v", shapedMap)
	t.add("Arrays$ArrayList", "", "Object[] a", shapedList)
	t.add("Collections$UnmodifiableCollection", "", "Collection c", shapedList)
	t.add("!Collections$UnmodifiableList", "Collections$UnmodifiableCollection", "List list", shapedList)
	t.add("Collections$UnmodifiableSet", "Collections$UnmodifiableCollection", "", shapedList)
	t.add("Collections$UnmodifiableSortedSet", "Collections$UnmodifiableSet", "SortedSet ss", shapedList)
	t.add("Collections$UnmodifiableNavigableSet", "Collections$UnmodifiableSortedSet", "NavigableSet ns", shapedList)
	t.add("Collections$UnmodifiableMap", "", "Map m", shapedMap)
	t.add("Collections$UnmodifiableSortedMap", "Collections$UnmodifiableMap", "SortedMap sm", shapedMap)
	t.add("Collections$UnmodifiableNavigableMap", "Collections$UnmodifiableSortedMap", "NavigableMap nm", shapedMap)
	t.add("!Collections$SynchronizedCollection", "", "Collection c, Object mutex", shapedList)
	t.add("!Collections$SynchronizedList", "Collections$SynchronizedCollection", "List list", shapedList)
	t.add("Collections$SynchronizedSet", "Collections$SynchronizedCollection", "", shapedList)
	t.add("Collections$SynchronizedSortedSet", "Collections$SynchronizedSet", "SortedSet ss", shapedList)
	t.add("!Collections$SynchronizedMap", "", "Map m, Object mutex", shapedMap)
	t.add("Collections$SynchronizedSortedMap", "Collections$SynchronizedMap", "SortedMap sm", shapedMap)
	// JDK 8 has no readObject here: there nCopies is plain, and lacks the mark.
	// (66 copies of it begin with the mark by chance, and are an error.)
	t.add("!Collections$CopiesList", "", "int n, Object element", shapedList)
	t.older("Collections$CopiesList", "int n, Object element", func(d *decoder) bool { return d.peek() != markPlain })
	t.add("!Collections$SetFromMap", "", "Map m", shapedList)
	t.add("!Collections$ReverseComparator", "", "", jdkClass{})
	t.add("Collections$ReverseComparator2", "", "Comparator cmp", jdkClass{})
	t.add("!java.lang.String$CaseInsensitiveComparator", "", "", jdkClass{})
}

func (t table) maps() {
	t.add("!HashMap", "", "int threshold, float loadFactor", jdkClass{form: formMap, tail: hashMap})
	t.add("LinkedHashMap", "HashMap", "boolean accessOrder", jdkClass{form: formMap})
	t.add("!TreeMap", "", "Comparator comparator", jdkClass{form: formMap, tail: entries, finish: comparator})
	t.add("!IdentityHashMap", "", "int size", jdkClass{form: formMap, tail: entries})
	t.add("!EnumMap", "", "Class keyType", jdkClass{form: formMap, tail: entries, finish: keyType})
	t.add("AbstractMap$SimpleEntry", "", "Object key, Object value", jdkClass{})
	t.add("AbstractMap$SimpleImmutableEntry", "", "Object key, Object value", jdkClass{})
}

func (t table) concurrent() {
	const c, locks, sync = "java.util.concurrent.", "java.util.concurrent.locks.", "java.util.concurrent.locks.AbstractQueuedSynchronizer"
	ended := jdkClass{form: formList, tail: untilNull}
	t.add("!"+c+"ConcurrentLinkedQueue", "", "", ended)
	t.add("!"+c+"ConcurrentLinkedDeque", "", "", ended)
	t.add("!"+c+"LinkedBlockingQueue", "", "int capacity, "+c+"atomic.AtomicInteger count, "+locks+"ReentrantLock takeLock, "+
		locks+"Condition notEmpty, "+locks+"ReentrantLock putLock, "+locks+"Condition notFull", ended)
	t.add("!"+c+"LinkedBlockingDeque", "", "int capacity, "+locks+"ReentrantLock lock, "+locks+"Condition notEmpty, "+
		locks+"Condition notFull", ended)
	t.add("!"+c+"ConcurrentSkipListMap", "", "Comparator comparator", jdkClass{form: formMap, tail: entriesUntilNull, finish: comparator})
	t.add(c+"ConcurrentSkipListSet", "", c+"ConcurrentNavigableMap m", shapedList)
	t.add(locks+"AbstractOwnableSynchronizer", "", "", jdkClass{})
	t.add(sync, locks+"AbstractOwnableSynchronizer", "int state", jdkClass{})
	t.add("!"+locks+"ReentrantLock$Sync", sync, "", jdkClass{})
	t.add(locks+"ReentrantLock$NonfairSync", locks+"ReentrantLock$Sync", "", jdkClass{})
	t.add(locks+"ReentrantLock$FairSync", locks+"ReentrantLock$Sync", "", jdkClass{})
	t.add(locks+"ReentrantLock", "", locks+"ReentrantLock$Sync sync", jdkClass{})
	t.add(sync+"$ConditionObject", "", sync+" this$0", jdkClass{})
	t.add(c+"atomic.AtomicInteger", "", "int value", jdkClass{})
	t.add(c+"atomic.AtomicLong", "", "long value", jdkClass{})
	t.add(c+"atomic.AtomicBoolean", "", "int value", jdkClass{finish: atomicBoolean})
	t.add(c+"atomic.AtomicReference", "", "Object value", jdkClass{})
	t.add(c+"ConcurrentHashMap$CollectionView", "", c+"ConcurrentHashMap map", jdkClass{})
	t.add(c+"ConcurrentHashMap$KeySetView", c+"ConcurrentHashMap$CollectionView", "Object value", jdkClass{})
}

func (t table) values() {
	value := func(finish func(d *decoder, b *build) error) jdkClass {
		return jdkClass{form: formValue, finish: finish}
	}
	t.add("!java.math.BigDecimal", "java.lang.Number", "java.math.BigInteger intVal, int scale", shapedValue)
	t.add("UUID", "", "long mostSigBits, long leastSigBits", shapedValue)
	t.add("!Locale", "", "", shapedValue)
	t.add("!BitSet", "", "long[] words", value(bits))
	t.add("!Currency", "", "String currencyCode", shapedValue)
	t.add("!java.net.URI", "", "String string", shapedValue)
	t.add("!java.net.URL", "", "String protocol, String host, int port, String file, String authority, String ref, int hashCode", value(url))
	t.add("!java.util.regex.Pattern", "", "String pattern, int flags", shapedValue)
	t.add("!java.io.File", "", "String path", jdkClass{form: formValue, tail: separator, finish: text("path")})
	t.add("!Date", "", "", jdkClass{form: formValue, tail: millis, finish: date})
	t.add("java.sql.Date", "Date", "", value(date))
	t.add("java.sql.Time", "Date", "", value(date))
	t.add("java.sql.Timestamp", "Date", "int nanos", value(date))
	t.add("TimeZone", "", "String ID", value(text("ID")))
	t.add("!sun.util.calendar.ZoneInfo", "TimeZone", "int rawOffset, int rawOffsetDiff, int checksum, int dstSavings, "+
		"long[] transitions, int[] offsets, int[] simpleTimeZoneParams, boolean willGMTOffsetChange", value(text("ID")))
	t.add("!SimpleTimeZone", "TimeZone", "int startMonth, int startDay, int startDayOfWeek, int startTime, int startTimeMode, "+
		"int endMonth, int endDay, int endDayOfWeek, int endTime, int endTimeMode, int startYear, int rawOffset, "+
		"boolean useDaylight, byte[] monthLength, int startMode, int endMode, int dstSavings, int serialVersionOnStream",
		jdkClass{form: formValue, tail: zoneRules, finish: text("ID")})
	t.add("!Calendar", "", "int[] fields, boolean[] isSet, long time, boolean isTimeSet, boolean areFieldsSet, boolean lenient, "+
		"TimeZone zone, int firstDayOfWeek, int minimalDaysInFirstWeek, int nextStamp, int serialVersionOnStream",
		jdkClass{form: formValue, tail: savedZone, finish: calendar})
	t.add("!GregorianCalendar", "Calendar", "long gregorianCutover", value(calendar))
}

func (t table) others() {
	const lang = "java.lang."
	t.add("!"+throwable, "", "String detailMessage, Throwable cause, StackTraceElement[] stackTrace, List suppressedExceptions", jdkClass{})
	t.add("StackTraceElement", "", "String classLoaderName, String moduleName, String moduleVersion, String declaringClass, "+
		"String methodName, String fileName, int lineNumber, byte format", jdkClass{})
	t.older("StackTraceElement", "String declaringClass, String methodName, String fileName, int lineNumber", noFormat)
	t.add(lang+"Exception", throwable, "", jdkClass{})
	t.add(lang+"RuntimeException", lang+"Exception", "", jdkClass{})
	t.add(lang+"Error", throwable, "", jdkClass{})
	t.add("java.io.IOException", lang+"Exception", "", jdkClass{})
	for _, name := range []string{
		"IllegalArgumentException", "IllegalStateException", "NullPointerException", "UnsupportedOperationException",
		"ArithmeticException", "ClassCastException", "IndexOutOfBoundsException",
	} {
		t.add(lang+name, lang+"RuntimeException", "", jdkClass{})
	}
	t.add(lang+"NumberFormatException", lang+"IllegalArgumentException", "", jdkClass{})
	t.add("!java.net.InetAddress", "", "", jdkClass{})
}

var (
	shapedList  = jdkClass{form: formList, shaped: true}
	shapedMap   = jdkClass{form: formMap, shaped: true}
	shapedValue = jdkClass{form: formValue, shaped: true}
)

// peek returns the next byte, 0 at the end.
func (d *decoder) peek() byte {
	if d.At < len(d.In) {
		return d.In[d.At]
	}
	return 0
}

// noFormat tells a StackTraceElement of JDK 8, which begins with the line number
// and the class (a String or a handle, never null), from later ones, which begin
// with a format byte and the line number, of which -4 and -7 mean nothing.
func noFormat(d *decoder) bool {
	start := d.At
	defer func() { d.At = start }()
	_, err := d.int32()
	return err == nil && (d.peek() == tagString || d.peek() == tagHandle)
}
