package databind

import (
	"strings"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// The places where nothing is declared, and only the slot is known.
var (
	rootPlace   = &place{slot: slotRoot, implied: true}
	objectPlace = &place{slot: slotObject, implied: true}
	openPlace   = &place{slot: slotOpen, implied: true}
	fieldPlace  = &place{slot: slotField, implied: true}
	treePlace   = &place{slot: slotTree, implied: true}
	// bareRoot is the root where no class is named there, and what a list or map there holds is
	// declared as Object.
	bareRoot = &place{slot: slotTree, implied: true}
)

// places are those by slot.
var places = [...]*place{
	slotRoot: rootPlace, slotObject: objectPlace, slotOpen: openPlace, slotField: fieldPlace, slotTree: treePlace,
}

// frame is what stands around a value: the class it names, and how.
type frame struct {
	at      int    // the token of the value proper
	class   string // empty where none is named
	key     int    // the member of the object that names the class, -1 where none does
	as      *place
	wrapped bool // the class stands in a wrapper array
	is      classFacts
}

// frame looks at the container at token i, with the array or annotation that may name its
// class.
func (r *reader) frame(i int, as *place) (frame, error) {
	k := &r.toks[i]
	f := frame{at: i, key: -1, as: as}
	switch {
	case as.poly != nil:
		return r.named(i, as)
	case k.Type != 0:
		f.class = r.tape.Class(k)
		return f, r.fits(&f)
	case !r.codec.rules.Types || as == treePlace || as == bareRoot || as.slot == slotTree && as.element != nil && r.codec.rules.concrete():
		return f, nil
	case k.Kind == token.Object && !r.codec.rules.WrapsInObjects():
		class, key, err := r.classOf(i)
		f.class, f.key, f.is = class, key, factsOf(class)
		if err == nil && key < 0 && as == objectPlace {
			err = r.nameless(i)
		}
		return f, err
	case k.Kind != token.Array && k.Kind != token.Object:
		return f, nil
	}
	class, ok, err := r.arrayClass(i, as)
	if ok {
		f.class, f.at, f.wrapped = class, i+2, true
		return f, r.fits(&f)
	}
	return f, err
}

// nameless is the error of an object in an Object slot that does not name its class.
func (r *reader) nameless(i int) error {
	if named := r.codec.rules.ClassKey(); named != "" {
		return r.fail(i, `an object without the name of its class: Java writes {%q:"java.util.HashMap",…} here`, named)
	}
	if r.codec.rules.WrapsInObjects() {
		return r.fail(i, `%s without the name of its class: Java writes {"java.util.HashMap":{…}} or the like here`, kindName(r.toks[i].Kind))
	}
	return r.fail(i, `an object without the name of its class: Java writes ["java.util.HashMap",{…}] here`)
}

// arrayClass returns the class that the array at i names, if it is a wrapper.
func (r *reader) arrayClass(i int, as *place) (class string, ok bool, err error) {
	if as.element != nil && as.slot == slotTree {
		return "", false, nil
	}
	class, ok = r.wrapper(i, as.slot == slotObject || as.slot == slotRoot && r.rootWrapper(i))
	switch {
	case ok || as != objectPlace:
	case r.codec.rules.WrapsInObjects():
		err = r.nameless(i)
	case r.toks[i].N > 2 && r.toks[i+1].Kind == token.String:
		class = string(r.tape.Text(&r.toks[i+1]))
		err = r.failClass(i, class, "a wrapper array holds the class and one value")
	default:
		err = r.fail(i, "an array without the name of its class: Java writes [\"java.util.ArrayList\",[…]] here")
	}
	return class, ok, err
}

// fits returns an error where the value cannot be one of the class that was named
// beside it.
func (r *reader) fits(f *frame) error {
	f.is = factsOf(f.class)
	kind := r.toks[f.at].Kind
	switch {
	case f.class == "":
		return r.fail(f.at, "the class of a wrapper array is empty")
	case kind == token.Null:
	case kind != token.Array && f.is.list, kind == token.Object && f.is.array:
		return r.failClass(f.at, f.class, "found %s where an array is due", kindName(kind))
	case kind != token.Object && f.is.mapped:
		return r.failClass(f.at, f.class, "found %s where an object is due", kindName(kind))
	}
	return nil
}

// inner returns the place of what a list or map of the JDK holds in that frame.
func (f *frame) inner() *place {
	if f.as == fieldPlace {
		return fieldPlace
	}
	return objectPlace
}

// elementDeclared returns what is declared of the elements of an array, or of the values of a map,
// nil where nothing is.
func (r *reader) elementDeclared(f *frame) *place {
	d := f.as
	switch {
	case !r.codec.rules.Types:
		return d.element
	case r.toks[f.at].Kind == token.Object && f.wrapped && r.codec.rules.ClassKey() != "":
		return nil
	case r.toks[f.at].Kind == token.Array && f.class == "" && d.slot != slotTree:
		return nil
	}
	return d.element
}

// elementsOf returns the place of the elements of the array that f is around.
func (r *reader) elementsOf(f *frame) *place {
	element := r.elementDeclared(f)
	switch {
	case element != nil && (f.is.set == "" || !r.codec.rules.bareConstants()):
		return element
	case !r.codec.rules.Types:
		return objectPlace
	case f.class != "":
		return elementsIn(f.class, f.is, f.inner(), r.beans, &r.codec.rules)
	case !f.as.implied:
		return openPlace
	}
	if f.as == bareRoot {
		return fieldPlace
	}
	switch f.as.slot {
	case slotTree:
		return treePlace
	case slotRoot, slotField:
		return fieldPlace
	default:
		return openPlace
	}
}

// elementsIn returns the place of the elements of an array that represents a value of a
// class; s is that of lists of the JDK.
func elementsIn(class string, is classFacts, inner *place, beans map[string]*bean, rules *Rules) *place {
	switch {
	case is.tree:
		return treePlace
	case is.slots:
		return inner
	case is.array:
		return componentPlace(component(class), beans, rules)
	case is.set != "":
		return enumOf(is.set, beans)
	}
	return openPlace
}

// listForm returns the place of the elements of a list of a class that stands in a place, and
// whether its class is not named there.
func listForm(id string, as *place, beans map[string]*bean, rules *Rules) (elements *place, bare bool) {
	if as.element != nil && (!rules.bareConstants() || factsOf(id).set == "") {
		return as.element, as.slot == slotTree
	}
	bare = id == ClassNone || as.slot == slotTree || as.slot == slotRoot && (finalList(id) || rules.bareArray(id, beans))
	if !rules.bareUUID() && strings.HasSuffix(id, "[L"+classUUID+";") {
		if id[1] == '[' {
			return rootPlace, bare // of arrays of arrays only the innermost elements are named
		}
		return objectPlace, bare
	}
	return elementsIn(id, factsOf(id), objectPlace, beans, rules), bare
}

// mapForm returns the place of the values of a map of a class that stands in a place, and
// whether its class is not named there.
func mapForm(id string, as *place) (values *place, bare bool) {
	switch {
	case as.element != nil:
		return as.element, as.slot == slotTree
	case strings.HasPrefix(id, nodePackage):
		return treePlace, false
	}
	return objectPlace, as == bareRoot || as == rootPlace && finalList(id)
}

// boxes are the classes of what arrays of primitives hold.
var boxes = map[string]string{
	"I": "java.lang.Integer", "J": classJavaLong, "S": "java.lang.Short", "B": "java.lang.Byte", "C": "java.lang.Character",
	"D": "java.lang.Double", "F": "java.lang.Float", "Z": "java.lang.Boolean",
}

// componentPlace returns the place of the elements of an array of elem.
func componentPlace(elem string, beans map[string]*bean, rules *Rules) *place {
	b := beans[elem]
	switch {
	case rules.everything() && boxes[elem] == "":
		return objectPlace
	case boxes[elem] != "":
		return &place{slot: slotTree, class: boxes[elem], component: true, primitive: true}
	case elem == "[B" || elem == "[C":
		return &place{slot: slotTree, class: elem, component: true}
	case strings.HasPrefix(elem, "[") && rules.bareArray(elem, beans):
		return &place{slot: slotTree, element: componentPlace(component(elem), beans, rules)}
	case elem == "java.lang.Object" || elem == classJavaLong && !rules.final(elem):
		return objectPlace
	case b != nil && b.enum != nil:
		return &place{slot: slotTree, class: elem, enum: b}
	case b != nil && b.final:
		return &place{slot: slotTree, bean: b}
	case b != nil:
		return &place{slot: slotObject}
	case rules.concrete() && rules.final(elem) && !listClass(elem) && !mapClass(elem):
		return &place{slot: slotTree, class: elem, component: true}
	case finalScalar(elem) || elem == classJavaLong || elem == classUUID || finalText(elem):
		return &place{slot: slotTree, class: elem, component: true}
	}
	return openPlace
}

// enumOf returns the declared type of constants of an enum.
func enumOf(class string, beans map[string]*bean) *place {
	b := beans[class]
	if b == nil || b.enum == nil {
		b = &bean{class: class}
	}
	return &place{slot: slotTree, class: class, enum: b}
}

// memberPlaces says where the members of an object stand: those of a described class in
// the places of its fields, all others in one.
type memberPlaces struct {
	bean *bean
	rest *place
}

// membersOf returns the places of the members of the object that f is around.
func (r *reader) membersOf(f *frame) memberPlaces {
	d, element, typed := f.as, r.elementDeclared(f), r.codec.rules.Types
	switch {
	case !typed && d.bean != nil:
		return memberPlaces{bean: d.bean, rest: objectPlace}
	case element != nil:
		return memberPlaces{rest: element}
	case d.poly != nil && f.class != "":
		return memberPlaces{bean: r.beans[f.class], rest: fieldPlace}
	case !typed:
		return memberPlaces{rest: objectPlace}
	case d.of != nil && f.class == d.of.class:
		return memberPlaces{bean: d.of, rest: fieldPlace}
	case d.bean != nil && (f.class == "" || f.class == d.bean.class):
		return memberPlaces{bean: d.bean, rest: fieldPlace}
	case f.as == treePlace || f.is.tree:
		return memberPlaces{rest: treePlace}
	case f.is.keys != "":
		return memberPlaces{rest: objectPlace}
	case f.is.mapped && f.is.slots:
		return memberPlaces{rest: f.inner()}
	case f.is.mapped:
		return memberPlaces{rest: fieldPlace}
	}
	return memberPlaces{bean: r.beans[f.class], rest: fieldPlace}
}

// of returns the place of a member.
func (m *memberPlaces) of(name []byte) *place {
	if m.bean != nil {
		if f := m.bean.find(name); f != nil {
			return f.declared
		}
	}
	return m.rest
}

// mismatch is the error of a value that does not go into a Go variable of type t.
func (r *reader) mismatch(i int, as *place, t string) error {
	v, err := r.at(i, as)
	if err != nil {
		return err
	}
	class, reason := java.ClassOf(v), "the kinds differ"
	switch {
	case v == nil:
		reason = bridge.NullReason
	case class == java.ReferenceClass:
		reason = bridge.ReferenceReason(v)
	}
	return r.misfit(i, class, t, reason)
}

// misfit is the error of a value of a class that a Go variable of type t does not take.
func (r *reader) misfit(i int, class, t, reason string) error {
	return r.failClass(i, class, "does not go into Go type %s: %s", t, reason)
}

// wrapped reports whether the value at i is a wrapper array.
func (r *reader) wrapped(i int) bool {
	_, ok := r.wrapper(i, false)
	return ok
}
