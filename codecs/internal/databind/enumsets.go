package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// Jackson names the enum within the type id of an EnumSet or EnumMap; in the values
// of package java it is beside the class.
const (
	enumSetID    = "java.util.EnumSet<"
	enumMapID    = "java.util.EnumMap<"
	enumMapValue = ",java.lang.Object>"

	classEnumSet = "java.util.RegularEnumSet"
	classEnumMap = "java.util.EnumMap"
)

// listID returns the type id of a list's class.
func listID(l *java.List) string {
	switch l.Class {
	case "":
		return java.ClassArrayList
	case classEnumSet, "java.util.JumboEnumSet", "java.util.EnumSet":
		if l.Of != "" {
			return enumSetID + l.Of + ">"
		}
	}
	return l.Class
}

// mapID returns the type id of a map's class.
func mapID(m *java.Map) string {
	switch {
	case m.Class == "":
		return java.ClassHashMap
	case m.Class == classEnumMap && m.Of != "":
		return enumMapID + m.Of + enumMapValue
	}
	return m.Class
}

// enumSetOf returns the enum of an EnumSet's type id.
func enumSetOf(id string) (string, bool) {
	of, ok := strings.CutPrefix(id, enumSetID)
	if !ok {
		return "", false
	}
	of, ok = strings.CutSuffix(of, ">")
	return of, ok && !strings.ContainsAny(of, "<>,")
}

// enumMapOf returns the enum of an EnumMap's type id.
func enumMapOf(id string) (string, bool) {
	of, ok := strings.CutPrefix(id, enumMapID)
	if !ok {
		return "", false
	}
	of, ok = strings.CutSuffix(of, enumMapValue)
	return of, ok && !strings.ContainsAny(of, "<>,")
}

// constant reads a constant of an enum where its class is not named: by its name or,
// as Java accepts too, its ordinal.
func (r *reader) constant(class string, i int) (any, error) {
	k := &r.toks[i]
	described := r.beans[class]
	switch {
	case k.Kind == token.String && (r.bare || k.Len == 0):
		return r.codec.rules.enumName(class, r.text(k)), nil
	case k.Kind == token.String:
		e := java.Enum{Class: class, Name: r.codec.rules.enumName(class, r.text(k)), Ordinal: -1}
		if described != nil {
			e.Ordinal = described.enum.Ordinal(e.Name)
		}
		return e, nil
	case k.Kind == token.Int && described != nil:
		e, ok := described.enum.Enum(int(k.Int()))
		if !ok || k.Int() != int64(e.Ordinal) {
			return nil, r.failClass(i, class, "it has no constant with the ordinal %d", k.Int())
		}
		return e, nil
	}
	return r.at(i, openPlace)
}

// constantKeys makes the keys of an EnumMap constants.
func constantKeys(m *java.Map, of string) {
	m.Class, m.Of = classEnumMap, of
	for i := range m.Entries {
		if name, ok := m.Entries[i].Key.(string); ok {
			m.Entries[i].Key = java.Enum{Class: of, Name: name, Ordinal: -1}
		}
	}
}
