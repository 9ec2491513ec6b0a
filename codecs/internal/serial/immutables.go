package serial

import (
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/internal/keyorder"
	"github.com/duequeue/duequeue/codecs/java"
)

const (
	immutable   = "java.util.ImmutableCollections$"
	classEnums  = "java.util.RegularEnumSet"
	enumsProxy  = "java.util.EnumSet$SerializationProxy"
	objectArray = "[Ljava.lang.Object;"
	enumArray   = "[Ljava.lang.Enum;"
)

// replacements maps the classes of values that Java writes as another class.
var replacements = map[string]string{
	immutable + "List12": "java.util.CollSer", immutable + "ListN": "java.util.CollSer",
	immutable + "Set12": "java.util.CollSer", immutable + "SetN": "java.util.CollSer",
	immutable + "Map1": "java.util.CollSer", immutable + "MapN": "java.util.CollSer",
	jdkclass.Unmodifiable + "RandomAccessList": jdkclass.Unmodifiable + "List",
	jdkclass.Synchronized + "RandomAccessList": jdkclass.Synchronized + "List",

	classEnums: enumsProxy, "java.util.JumboEnumSet": enumsProxy,
}

func immutableShapes() map[string]*shape {
	empty := &shape{begin: beginList, end: endFields(0), write: writer(writeFields)}
	single := &shape{begin: beginList, end: endFields(1), write: writer(writeFields)}
	return map[string]*shape{
		"java.util.CollSer":                   {end: endCollSer, write: writeCollSer},
		enumsProxy:                            {end: endEnumSet, write: writer(writeEnumSet)},
		"java.util.Collections$EmptyList":     empty,
		"java.util.Collections$EmptySet":      empty,
		jdkclass.KotlinEmptyList:              empty,
		jdkclass.KotlinEmptySet:               empty,
		jdkclass.KotlinEmptyMap:               {begin: beginMap, end: endMapFields(0), write: writer(writeMapFields)},
		"java.util.Collections$SingletonList": single,
		"java.util.Collections$SingletonSet":  single,
		"java.util.Collections$CopiesList":    {begin: beginList, end: endCopies, write: writer(writeCopies)},
		"java.util.Collections$EmptyMap":      {begin: beginMap, end: endMapFields(0), write: writer(writeMapFields)},
		"java.util.Collections$SingletonMap":  {begin: beginMap, end: endMapFields(2), write: writer(writeMapFields)},
	}
}

// endFields reads a list whose elements are the fields.
func endFields(n int) func(in *Instance, value any) (any, error) {
	return func(in *Instance, value any) (any, error) {
		if len(in.own().Fields) != n {
			return nil, errSize
		}
		list := value.(*java.List)
		list.Elements = in.own().Fields
		return list, nil
	}
}

func writeFields(in *Instance, l *java.List) error {
	if len(l.Elements) != len(in.Desc.Fields) {
		return fmt.Errorf("a %s cannot have %d elements", in.Desc.Class, len(l.Elements))
	}
	in.own().Fields = l.Elements
	return nil
}

func endMapFields(n int) func(in *Instance, value any) (any, error) {
	return func(in *Instance, value any) (any, error) {
		fields := in.own().Fields
		if len(fields) != n {
			return nil, errSize
		}
		m := value.(*java.Map)
		var err error
		m.Entries, err = pairs(fields, n/2)
		return m, err
	}
}

func writeMapFields(in *Instance, m *java.Map) error {
	if 2*len(m.Entries) != len(in.Desc.Fields) {
		return fmt.Errorf("a %s cannot have %d entries", in.Desc.Class, len(m.Entries))
	}
	in.own().Fields = withPairs(m)
	return nil
}

// endCopies reads Collections.nCopies: one element and how often it is there.
func endCopies(in *Instance, value any) (any, error) {
	n, err := in.own().int32("n")
	if err == nil && n < 0 {
		err = errSize
	}
	if err == nil {
		err = in.charge(int(n))
	}
	if err != nil {
		return nil, err
	}
	list := value.(*java.List)
	list.Elements = make([]any, n)
	for i := range list.Elements {
		list.Elements[i] = in.own().field("element")
	}
	return list, nil
}

func writeCopies(in *Instance, l *java.List) error {
	var element any
	for i, e := range l.Elements {
		if i > 0 && !SameObject(e, element) && !equalScalars(e, element) {
			return errors.New("a java.util.Collections$CopiesList has one element only")
		}
		element = e
	}
	in.own().Fields = []any{int32(len(l.Elements)), element}
	return nil
}

func equalScalars(a, b any) bool {
	if _, ok := keyorder.HashCode(a); !ok {
		return false
	}
	return a == b
}

// Tags of java.util.CollSer.
const (
	collList      = 1
	collSet       = 2
	collMap       = 3
	collListNulls = 4
)

// nullsForm marks a list that allows nulls, as Stream.toList makes it.
type nullsForm struct{}

func endCollSer(in *Instance, _ any) (any, error) {
	tag, err := in.own().int32("tag")
	if err != nil {
		return nil, err
	}
	block, rest, err := in.own().items(4)
	if err != nil {
		return nil, err
	}
	elements, err := counted(rest, at(block, 0))
	if err != nil {
		return nil, err
	}
	n := len(elements)
	switch tag {
	case collList, collListNulls:
		list := &java.List{Class: immutable + "ListN", Elements: elements}
		switch few := n == 1 || n == 2; {
		case tag == collList && few:
			list.Class = immutable + "List12"
		case tag == collListNulls && !few:
			list.Form = nullsForm{}
		}
		return list, nil
	case collSet:
		list := &java.List{Class: immutable + "SetN", Elements: elements}
		if n == 1 || n == 2 {
			list.Class = immutable + "Set12"
		}
		return list, nil
	case collMap:
		m := &java.Map{Class: immutable + "MapN"}
		if n == 2 {
			m.Class = immutable + "Map1"
		}
		m.Entries, err = pairs(elements, n/2)
		return m, err
	}
	return nil, fmt.Errorf("unknown tag %d", tag)
}

func writeCollSer(in *Instance, value any) error {
	tag := int32(collList)
	var elements []any
	switch v := value.(type) {
	case *java.List:
		elements = v.Elements
		_, nulls := v.Form.(nullsForm)
		switch {
		case v.Class == immutable+"Set12" || v.Class == immutable+"SetN":
			tag = collSet
		case nulls || hasNull(elements), v.Class == immutable+"ListN" && (len(elements) == 1 || len(elements) == 2):
			tag = collListNulls // List.of makes no ListN of so few
		}
	case *java.Map:
		tag, elements = collMap, withPairs(v)
	default:
		return fmt.Errorf("a %T is no immutable collection", value)
	}
	if tag != collListNulls && hasNull(elements) {
		return errors.New("an immutable set or map cannot hold null")
	}
	in.own().Fields = []any{tag}
	in.own().Items = withElements(elements, number(int32(len(elements))))
	return nil
}

func hasNull(elements []any) bool {
	for _, e := range elements {
		if e == nil {
			return true
		}
	}
	return false
}

func endEnumSet(in *Instance, _ any) (any, error) {
	of := className(in.own().field("elementType"))
	elements, ok := in.own().field("elements").(*java.List)
	if of == "" || !ok {
		return nil, errors.New("its element type or its elements are missing")
	}
	return &java.List{Class: classEnums, Of: of, Elements: elements.Elements}, nil
}

func writeEnumSet(in *Instance, l *java.List) error {
	of, err := EnumOf(l)
	if err != nil {
		return err
	}
	in.own().Fields = []any{EnumClass(of), &java.List{Class: enumArray, Elements: l.Elements}}
	return nil
}

// EnumOf returns the enum whose constants an EnumSet holds.
func EnumOf(l *java.List) (string, error) {
	var first any
	if len(l.Elements) > 0 {
		first = l.Elements[0]
	}
	return enumOf(l.Of, first, "EnumSet")
}

// EnumOfKeys returns the enum whose constants are the keys of an EnumMap.
func EnumOfKeys(m *java.Map) (string, error) {
	var first any
	if len(m.Entries) > 0 {
		first = m.Entries[0].Key
	}
	return enumOf(m.Of, first, "EnumMap")
}

func enumOf(of string, first any, what string) (string, error) {
	if constant, ok := first.(java.Enum); ok && of == "" {
		of = constant.Class
	}
	if of == "" {
		return "", errors.New("an empty " + what + " must name its enum: set Of")
	}
	return of, nil
}
