package payload

import (
	"strings"

	"github.com/duequeue/duequeue/registry"
)

// All is the path that stands for everything in a payload.
const All = registry.AllFields

// Fields are paths into payloads, such as "orderId" and "customer.id": names of fields and of
// entries in maps, with dots between them. Elements of lists have the path of their list.
// What lies below a path belongs to it. The zero value has none. Fields are immutable.
type Fields struct{ root *branch }

// branch is what follows a name in a path.
type branch struct {
	all   bool // a path ends here
	below map[string]*branch
}

// FieldsOf returns the given paths; [All] among them means everything.
func FieldsOf(paths ...string) Fields {
	root := &branch{}
	for _, path := range paths {
		if path == All {
			root.all = true
			continue
		}
		at := root
		for name := range strings.SplitSeq(path, ".") {
			next := at.below[name]
			if next == nil {
				next = &branch{}
				if at.below == nil {
					at.below = map[string]*branch{}
				}
				at.below[name] = next
			}
			at = next
		}
		at.all = true
	}
	return Fields{root}
}

// Everything is every path.
var Everything = FieldsOf(All)

// whole reports whether all that lies here belongs to a path.
func (b *branch) whole() bool { return b != nil && b.all }

// empty reports whether no path leads through here.
func (b *branch) empty() bool { return b == nil || !b.all && len(b.below) == 0 }

// of returns what follows a name.
func (b *branch) of(name string) *branch {
	if b.whole() {
		return b
	}
	if b == nil {
		return nil
	}
	return b.below[name]
}

// Has reports whether what lies at a path belongs to one of the paths.
func (f Fields) Has(path string) bool {
	at := f.root
	for name := range strings.SplitSeq(path, ".") {
		at = at.of(name)
	}
	return at.whole()
}
