package marshalling

import "sort"

// instances is the instance table. Names of classes take most of its indexes
// and are hardly ever referred to: it holds them as runs.
type instances struct {
	list []object
	runs []run
	size int // indexes taken
}

// object is one entry of the instance table. A text has its text, and its
// value where that is boxed already.
type object struct {
	text  string
	value any
	index int
}

// run is the names of a class that is known, from an index on.
type run struct {
	first int
	names []string
}

// unresolved is in the instance table in place of what must not be referred to: an
// object written unshared, or one that is not whole yet and has no identity.
type unresolved struct{}

// string returns the text of a text, "" of all others.
func (o object) string() string {
	return o.text
}

// any returns the value of o and whether it can be referred to.
func (o object) any() (any, bool) {
	if o.value == nil {
		return o.text, o.text != ""
	}
	_, missing := o.value.(unresolved)
	return o.value, !missing
}

// push gives o the next index and returns its place in the list.
func (t *instances) push(o object) int {
	o.index = t.size
	t.size++
	t.list = append(t.list, o)
	return len(t.list) - 1
}

// set replaces the object at a place.
func (t *instances) set(place int, o object) {
	o.index = t.list[place].index
	t.list[place] = o
}

// names gives each of the names the next index.
func (t *instances) names(names []string) {
	if len(names) > 0 {
		t.runs = append(t.runs, run{t.size, names})
		t.size += len(names)
	}
}

// at returns the object with an index; nil where it is a name, which comes
// beside it, or nothing.
func (t *instances) at(index int) (*object, string) {
	if index < 0 || index >= t.size {
		return nil, ""
	}
	if i := sort.Search(len(t.list), func(i int) bool { return t.list[i].index >= index }); i < len(t.list) && t.list[i].index == index {
		return &t.list[i], ""
	}
	if i := sort.Search(len(t.runs), func(i int) bool { return t.runs[i].first > index }) - 1; i >= 0 && index-t.runs[i].first < len(t.runs[i].names) {
		return nil, t.runs[i].names[index-t.runs[i].first]
	}
	return nil, ""
}

func (t *instances) reset() {
	clear(t.list)
	clear(t.runs)
	t.list, t.runs, t.size = t.list[:0], t.runs[:0], 0
}
