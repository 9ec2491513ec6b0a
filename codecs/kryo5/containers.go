package kryo5

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/java"
)

// list adds classes of package java.util with the layout of collections.
func (k *catalog) list(c class, names ...string) {
	c.list, c.read, c.write = true, readCollection, writeCollection
	k.containers(c, names)
}

// mapping adds classes of package java.util with the layout of maps.
func (k *catalog) mapping(c class, names ...string) {
	c.mapping, c.read, c.write = true, readMap, writeMap
	k.containers(c, names)
}

func (k *catalog) containers(c class, names []string) {
	c.fixed = cmp.Or(c.fixed, -1)
	c.acceptsNull, c.partial = c.fixed < 0, true
	for _, name := range names {
		c.name, c.id = "java.util."+name, 0
		k.add(c)
	}
}

func (k *catalog) addLists() {
	k.list(class{}, "ArrayList", "LinkedList", "HashSet", "LinkedHashSet", "Vector", "Stack", "Arrays$ArrayList",
		"concurrent.CopyOnWriteArrayList", "concurrent.CopyOnWriteArraySet")
	k.list(class{shape: shape{noNull: true}}, "ArrayDeque", "concurrent.ConcurrentLinkedQueue", "concurrent.ConcurrentLinkedDeque",
		"concurrent.LinkedBlockingQueue", "concurrent.LinkedBlockingDeque", "concurrent.LinkedTransferQueue")
	k.list(class{shape: shape{noNull: true, natural: true}}, "concurrent.ConcurrentSkipListSet", "concurrent.PriorityBlockingQueue")
	k.list(class{shape: shape{noNull: true, mayNull: true, natural: true, sorted: true}}, "TreeSet")
	k.list(class{shape: shape{noNull: true, natural: true, sorted: true}}, "PriorityQueue")
	k.list(class{shape: shape{noNull: true, immutable: true}}, "ImmutableCollections$ListN", "ImmutableCollections$List12",
		"ImmutableCollections$SubList")
	k.list(class{shape: shape{noNull: true, immutable: true, distinct: true}}, "ImmutableCollections$SetN", "ImmutableCollections$Set12")
	k.list(class{shape: shape{readOnly: true}}, "ArrayList$SubList", "AbstractList$SubList", "AbstractList$RandomAccessSubList",
		"SubList", "RandomAccessSubList", "Collections$SetFromMap", "Collections$CopiesList", "Collections$AsLIFOQueue",
		"HashMap$Values", "HashMap$KeySet", "LinkedHashMap$LinkedKeySet", "LinkedHashMap$LinkedValues", "TreeMap$KeySet", "TreeMap$Values",
		"concurrent.ConcurrentHashMap$ValuesView", "Collections$UnmodifiableMap$UnmodifiableEntrySet", "IdentityHashMap$KeySet",
		"Hashtable$KeySet", "WeakHashMap$KeySet", "concurrent.ConcurrentSkipListMap$KeySet", "concurrent.ConcurrentSkipListMap$Values",
		"concurrent.ArrayBlockingQueue", "concurrent.DelayQueue", "concurrent.SynchronousQueue")
	for _, name := range []string{"EmptyList", "EmptySet"} {
		k.add(class{
			name: "java.util.Collections$" + name, read: readCollection, write: writeCollection, list: true, zeroWidth: true,
			shape: shape{fixed: -1},
		})
	}
	k.list(class{shape: shape{fixed: 1}}, "Collections$SingletonList", "Collections$SingletonSet")
}

func (k *catalog) addMaps() {
	k.mapping(class{}, "HashMap", "LinkedHashMap", "WeakHashMap", "IdentityHashMap")
	k.mapping(class{shape: shape{noNull: true}}, "concurrent.ConcurrentHashMap", "Hashtable", "Properties")
	k.mapping(class{shape: shape{noNullKey: true, natural: true, sorted: true}}, "TreeMap")
	k.mapping(class{shape: shape{noNull: true, natural: true, sorted: true}}, "concurrent.ConcurrentSkipListMap")
	k.mapping(class{shape: shape{noNull: true, immutable: true, distinct: true}}, "ImmutableCollections$Map1", "ImmutableCollections$MapN")
	k.mapping(class{shape: shape{readOnly: true}}, "TreeMap$AscendingSubMap", "TreeMap$DescendingSubMap", "TreeMap$SubMap")
	k.add(class{
		name: "java.util.Collections$EmptyMap", read: readMap, write: writeMap, mapping: true, zeroWidth: true,
		shape: shape{fixed: -1},
	})
	k.mapping(class{shape: shape{fixed: 1}}, "Collections$SingletonMap")
	k.addKotlin()
	for like, names := range foreignContainers {
		for name := range strings.FieldsSeq(names) {
			if err := k.addLike(name, like); err != nil {
				panic(err) // a mistake in the table below
			}
		}
	}
}

// addKotlin adds what Kotlin has for no elements. Kryo writes them as it writes other
// containers, and Java could put nothing into them.
func (k *catalog) addKotlin() {
	for name, like := range map[string]string{
		jdkclass.KotlinEmptyList: java.ClassArrayList, jdkclass.KotlinEmptySet: java.ClassArrayList, jdkclass.KotlinEmptyMap: java.ClassHashMap,
	} {
		own := *k.byName[like]
		own.name, own.id, own.empty = name, 0, true
		k.add(own)
	}
}

// foreignContainers are containers outside the JDK that are often met.
var foreignContainers = map[string]string{
	"java.util.HashMap": `com.alibaba.fastjson.JSONObject com.alibaba.fastjson2.JSONObject cn.hutool.json.JSONObject
cn.hutool.core.lang.Dict org.springframework.util.LinkedMultiValueMap org.springframework.util.LinkedCaseInsensitiveMap
org.hibernate.collection.internal.PersistentMap org.hibernate.collection.spi.PersistentMap net.minidev.json.JSONObject`,
	"java.util.ArrayList": `com.alibaba.fastjson.JSONArray com.alibaba.fastjson2.JSONArray cn.hutool.json.JSONArray
org.hibernate.collection.internal.PersistentBag org.hibernate.collection.spi.PersistentBag
org.hibernate.collection.internal.PersistentList org.hibernate.collection.spi.PersistentList
org.hibernate.collection.internal.PersistentSet org.hibernate.collection.spi.PersistentSet net.minidev.json.JSONArray`,
}

// addLike adds a class with the layout of a container of the JDK.
func (k *catalog) addLike(name, like string) error {
	c := k.byName[like]
	if c == nil || !c.list && !c.mapping || c.fixed >= 0 || c.zeroWidth || c.empty || c.immutable || c.stream != "" || c.enum != nil || c.component != "" {
		return fmt.Errorf("%s is no container of the JDK that other classes are like: name java.util.ArrayList, "+
			"HashMap, TreeSet, PriorityQueue, TreeMap or another", like)
	}
	own := *c
	own.name, own.id = name, 0
	k.add(own)
	return nil
}
