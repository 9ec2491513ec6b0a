package databind

import (
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// everything reports whether all values but primitives name their class where Jackson does not
// take them for natural: also those of final classes, and the whole payload.
func (r *Rules) everything() bool { return r.mapper.Typing == Everything }

// concrete reports whether only values that are declared as Object, or as an interface or
// abstract class too, name their class: the whole payload never does.
func (r *Rules) concrete() bool {
	switch r.mapper.Typing {
	case JavaLangObject, ObjectAndNonConcrete, NonConcreteAndArrays:
		return true
	default:
		return false
	}
}

// WrapsInObjects reports whether an object of one member, {"demo.Order":{…}}, names a class, and
// not a wrapper array.
func (r *Rules) WrapsInObjects() bool { return r.mapper.As == WrapperObject }

// root returns the place of whole payloads.
func (r *Rules) root() *place {
	switch {
	case r.everything():
		return objectPlace
	case r.concrete():
		return bareRoot
	}
	return rootPlace
}

// bareConstants reports whether the constants in an EnumSet name no class where Set is declared,
// although enums do elsewhere: since Jackson 2.20, which Redisson 3.52.0 has and 3.46.0 has not.
func (r *Rules) bareConstants() bool {
	return r.everything() && !r.Release.Before(option.Release{3, 52, 0})
}

// abstractJDK reports whether a class that comes with Java, and that a field may be declared as,
// is an interface or abstract.
func abstractJDK(class string) bool {
	name := class[strings.LastIndexByte(class, '.')+1:]
	switch {
	case !strings.HasPrefix(class, "java.util."):
		return abstractClasses[class]
	case strings.HasPrefix(name, "Abstract"):
		return true
	}
	return abstractUtils[name]
}

var (
	abstractUtils = wordsOf(`Collection List Set SortedSet NavigableSet SequencedCollection SequencedSet SequencedMap Queue Deque Map
		Map$Entry SortedMap NavigableMap BlockingQueue BlockingDeque TransferQueue ConcurrentMap ConcurrentNavigableMap EnumSet Iterator
		Enumeration Dictionary Calendar TimeZone Comparator`)
	abstractClasses = wordsOf(`java.lang.Object java.lang.Number java.lang.Comparable java.lang.CharSequence java.lang.Iterable
		java.lang.Enum java.lang.Record java.lang.Cloneable java.lang.Runnable java.io.Serializable java.io.Externalizable
		java.time.ZoneId java.nio.charset.Charset java.nio.file.Path java.nio.ByteBuffer java.security.Principal
		java.time.temporal.Temporal java.time.temporal.TemporalAccessor java.time.temporal.TemporalAmount java.time.chrono.ChronoLocalDate
		java.time.chrono.ChronoLocalDateTime java.time.chrono.ChronoZonedDateTime java.time.chrono.ChronoPeriod`)
)

func wordsOf(text string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		out[word] = true
	}
	return out
}

// isInterface reports whether a class of the set implements the class.
func (k *describer) isInterface(class string) bool {
	for c := range k.set.All() {
		if slices.Contains(c.Interfaces, class) {
			return true
		}
	}
	return false
}

// unknown reports whether nothing says of a declared class whether it is an interface or abstract.
func (k *describer) unknown(class string) bool {
	switch {
	case k.rules.mapper.Typing != ObjectAndNonConcrete && k.rules.mapper.Typing != NonConcreteAndArrays,
		bridge.OfJDK(class), k.isInterface(class), k.polys.of(class, k.set) != nil: // which goes before the typing of the mapper
		return false
	}
	found := k.set.Find(class)
	if found == nil {
		return true
	}
	if found.Final || found.Kind == java.KindRecord {
		return false
	}
	for c := range k.set.All() { // a superclass may be abstract
		if c.Super.Class == class {
			return true
		}
	}
	return found.Kind == java.KindEnum && hasBodies(found)
}

// bareAt returns the place of the root where no class is named: what is there is declared as its
// own class.
func (b *binding) bareAt(n *bridge.Node) *place {
	for n.Kind == bridge.NodePointer {
		n = n.Elem
	}
	switch n.Kind {
	case bridge.NodeBean:
		if of := b.beans[n.Class]; of != nil {
			var all polys
			return &place{slot: slotTree, bean: of, poly: all.of(n.Class, b.set)}
		}
	case bridge.NodeScalar, bridge.NodeValue, bridge.NodeTime, bridge.NodeEnum, bridge.NodeBytes:
		k := &describer{set: b.set, rules: &b.codec.rules, beans: b.beans}
		return k.declare(gotypes.DescribeType(n.Go, java.TypeExpr{}, b.opts), &java.Class{})
	default:
	}
	return bareRoot
}
