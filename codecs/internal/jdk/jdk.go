// Package jdk has one row for each class of the JDK whose instances are one value: what it is
// in Go, and what all codecs need to know of it. The Go types are those of package java, which
// fills the table; formats derive what they can from a row's parts. It knows no Go types.
package jdk

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// Type is one row.
type Type struct {
	// Class is the Java class; empty where each value names its own, as a text does.
	Class string
	Go    reflect.Type
	// Declared is the type of a field of the Go type where no tag says another; empty for Class.
	Declared string
	// ClassOf returns the class of a value that names its own; nil for all others.
	ClassOf func(v any) string

	Final      bool // nothing can extend the class
	Time       bool // people read it as a date, a time or a part of one
	ZeroIsNull bool // the zero value of the Go type is null in Java
	Foreign    bool // the Go type is not the Java value itself, as time.Time is not

	// Text is what people and Java's toString show of a value, text or a number; nil where the Go type's
	// String method says it.
	Text func(v any) (text string, isText bool)
	// FromText makes a value of what a Go string declared as the class holds; nil where none can be.
	FromText func(s string) (any, error)
	// Compare is compareTo; nil where the parts decide one after the other, or nothing does.
	Compare func(a, b any) int
	Ordered bool // the class is Comparable in Java
	// Sorted is compareTo in sorted containers, where Compare tells more values apart.
	Sorted func(a, b any) int
	// Ordinal is that of a constant of an enum; nil for all others.
	Ordinal func(v any) int
	// Hash is hashCode where it is the same in every JVM; nil where it is not.
	Hash func(v any) (int32, bool)
	// Constant reports the values of which Java has one object that all share; nil for none.
	Constant func(v any) bool

	// Parts are what a value is written as, in most formats one after the other. Split and Join are the
	// ways between a Go value and its parts. Classes without parts have functions in each format.
	Parts []Part
	Split func(v any) Value
	Join  func(p *Value) any
	// Ser is the type in java.time.Ser, the class that java.io, River and FST write all of java.time as,
	// and Stream the parts there, where they are not Parts; 0 for all others.
	Ser    byte
	Stream []Part
	// Jackson has a letter for each way in which a mapper writes times: JavaTimeModule as it comes, the
	// same without timestamps, Jackson 3. They are a for an array, s for seconds, n for a
	// number, t for text.
	Jackson string
	// Write and Parse are the text in Jackson's formats; nil where the parts tell it.
	Write func(p *Value) string
	Parse func(s string, p *Value) bool

	// Fields are those of the Java class, where java.io, River, FST and Kryo's FieldSerializer write
	// them, in the order of their names. Values returns what is in them, From makes a value of that.
	Fields []Field
	Values func(v any) []any
	From   func(values []any) any
	// Nullable says that Kryo writes null as an empty value of the class, without a mark before it.
	Nullable bool
}

// Field is a field of a Java class. Like is a value of its type in Go: int32, int64 or string.
type Field struct {
	Name string
	Like any
	Null bool // null may be there, or the whole field be missing: it is as the zero value
}

// FromFields makes a value of the fields of its class, or returns the name of the first one
// that holds something else.
func (t *Type) FromFields(get func(name string) any) (v any, wrong string) {
	values := make([]any, len(t.Fields))
	for i, f := range t.Fields {
		values[i] = get(f.Name)
		switch {
		case values[i] == nil && f.Null:
			values[i] = f.Like
		case reflect.TypeOf(values[i]) != reflect.TypeOf(f.Like):
			return nil, f.Name
		}
	}
	return t.From(values), ""
}

var (
	byType  = map[reflect.Type]*Type{}
	byClass = map[string]*Type{}
	bySer   = map[byte]*Type{}
	all     []*Type
)

// Add puts a row into the table. It is for init functions: nothing guards the table later.
// Of several rows with one Go type the first describes the type.
func Add(t Type) {
	all = append(all, &t)
	if byType[t.Go] == nil {
		byType[t.Go] = &t
	}
	if t.Class != "" {
		byClass[t.Class] = &t
	}
	if t.Ser != 0 {
		bySer[t.Ser] = &t
	}
	if t.Stream == nil {
		t.Stream = t.Parts
	}
	if t.Declared == "" {
		t.Declared = t.Class
	}
}

// All returns the rows in the order in which they were added. The caller must not change it.
func All() []*Type { return all }

// OfType returns the row of a Go type, nil where there is none.
func OfType(t reflect.Type) *Type { return byType[t] }

// Of returns the row of a value, nil where there is none.
func Of(v any) *Type { return byType[reflect.TypeOf(v)] }

// OfClass returns the row of a Java class, nil where there is none.
func OfClass(class string) *Type { return byClass[class] }

// Own reports whether values of a Go type are Java values as they are.
func Own(t reflect.Type) bool {
	row := byType[t]
	return row != nil && !row.Foreign
}

var (
	arrayClasses = map[reflect.Type]string{}
	arrayTypes   = map[string]reflect.Type{}
)

// AddArray adds the Go type of an array of primitives. It is for init functions, as [Add] is.
func AddArray(class string, t reflect.Type) { arrayClasses[t], arrayTypes[class] = class, t }

// ArrayClass returns the class of a Go type that is an array of primitives, "" for all others.
func ArrayClass(t reflect.Type) string { return arrayClasses[t] }

// ArrayType returns the Go type of the class of an array of primitives, nil for other classes.
func ArrayType(class string) reflect.Type { return arrayTypes[class] }

// Show returns what people see of a value, a text or a number.
func (t *Type) Show(v any) (text string, isText bool) {
	if t.Text != nil {
		return t.Text(v)
	}
	return v.(fmt.Stringer).String(), true
}

// TimeClass returns the row of a class that has parts, as all of java.time have; nil for all
// other classes.
func TimeClass(class string) *Type {
	if t := byClass[class]; t != nil && t.Parts != nil {
		return t
	}
	return nil
}

// Final reports whether a class of the table is final.
func Final(class string) bool {
	t := byClass[class]
	return t != nil && t.Final
}

// Class returns the Java class of a scalar and of a value that the table knows, "" for all others.
func Class(v any) string {
	switch v.(type) {
	case string:
		return "java.lang.String"
	case bool:
		return "java.lang.Boolean"
	case int8:
		return "java.lang.Byte"
	case int16:
		return "java.lang.Short"
	case int32, int:
		return "java.lang.Integer"
	case int64:
		return "java.lang.Long"
	case float32:
		return "java.lang.Float"
	case float64:
		return "java.lang.Double"
	}
	t := Of(v)
	switch {
	case t == nil || t.Foreign:
		return ""
	case t.ClassOf != nil:
		return t.ClassOf(v)
	case t.Go.Kind() == reflect.Pointer && reflect.ValueOf(v).IsNil():
		return ""
	}
	return t.Class
}

// ClassOf is [Class] for arrays of primitives, too, and for the plain containers of Go.
func ClassOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return "java.util.HashMap"
	case []any:
		return "java.util.ArrayList"
	}
	if class := Class(v); class != "" {
		return class
	}
	return ArrayClass(reflect.TypeOf(v))
}

// Compare compares two values of one Go type as compareTo does, and goes on by their parts
// where Java calls unequal values equal. Values that nothing orders are equal.
func Compare(a, b any) int {
	t := Of(a)
	switch {
	case t == nil || reflect.TypeOf(b) != t.Go:
		return 0
	case t.Compare != nil:
		return t.Compare(a, b)
	case t.Split == nil:
		return 0
	}
	x, y := t.Split(a), t.Split(b)
	return ComparePart(&x, &y)
}

// ComparePart compares one part after the other.
func ComparePart(x, y *Value) int {
	return cmp.Or(cmp.Compare(x.Seconds, y.Seconds), compareDate(x, y), CompareClock(x, y),
		cmp.Compare(x.Years, y.Years), cmp.Compare(x.Months, y.Months), cmp.Compare(x.Days, y.Days),
		cmp.Compare(x.Offset, y.Offset), strings.Compare(x.Zone, y.Zone))
}

func compareDate(x, y *Value) int {
	return cmp.Or(cmp.Compare(x.Year, y.Year), cmp.Compare(x.Month, y.Month), cmp.Compare(x.Day, y.Day))
}

// CompareClock compares the times of day, or the parts of a second.
func CompareClock(x, y *Value) int { return cmp.Compare(x.NanoOfDay(), y.NanoOfDay()) }

// CompareInstant compares the points in time of two dates with offsets, then what clocks show.
func CompareInstant(x, y *Value) int {
	return cmp.Or(x.GoTime().Compare(y.GoTime()), CompareClock(x, y), compareDate(x, y), strings.Compare(x.Zone, y.Zone))
}
