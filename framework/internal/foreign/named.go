package foreign

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
)

// swapped returns a value in which wrapper objects are wrapper arrays, and these such objects: for
// codecs that name classes so.
func (n *node) swapped() *node {
	for i, m := range n.members {
		n.members[i] = m.swapped()
	}
	class, value := n.wrapped()
	switch {
	case class != "":
		return &node{kind: '{', keys: []string{class}, members: []*node{value}, swap: true}
	case n.kind == '{' && len(n.keys) == 1 && className.MatchString(n.keys[0]):
		return &node{kind: '[', members: []*node{{kind: '"', text: n.keys[0]}, n.members[0]}, swap: true}
	}
	return n
}

// namesRoot reports whether the codec names the class of a whole payload, where it names any.
func namesRoot(c codecs.Codec) bool {
	name := c.Name()
	return !strings.Contains(name, "JAVA_LANG_OBJECT") && !strings.Contains(name, "NON_CONCRETE")
}

// namesClass reports whether an object names its class.
func (n *node) namesClass(key string) bool {
	if class, in := n.wrapped(); class != "" {
		return in.kind == '{'
	}
	class := n.member(key)
	return class != nil && className.MatchString(class.text)
}

// classKey returns the name of the property in which the codec names the class of a map, "" for
// another place, and whether it names classes at all.
func classKey(c codecs.Codec) (key string, names bool) {
	empty, err := c.Encode(map[string]any{})
	if err != nil {
		return "", false
	}
	n := tree(c, empty)
	if !namesRoot(c) {
		if empty, err = c.Encode([]any{map[string]any{}}); err == nil {
			n = tree(c, empty).element(0)
		}
	}
	if n != nil && len(n.keys) == 1 {
		return n.keys[0], true
	}
	return "", n != nil && (n.kind == ':' || n.value() != nil)
}

// namedOtherwise returns the first place where a value names its class and the codec does not, or
// not there. It is for values that no Go type declares.
func (n *node) namedOtherwise(key string, names bool, path string) *fault.ForeignForm {
	form := &fault.ForeignForm{Path: path, There: n.form(), Writes: "no class"}
	if names {
		form.Writes = "the class in another place"
	}
	if class, _ := n.wrapped(); class != "" && !names && class != "java.util.UUID" { // which Redisson 4.2 to 4.4 writes so by each codec
		return form
	}
	if class := n.member("@class"); class != nil && !names && className.MatchString(class.text) {
		return form
	}
	if n.kind == '{' && len(n.keys) == 1 && n.keys[0] != key &&
		(className.MatchString(n.keys[0]) && !n.members[0].leaf() || valueName.MatchString(n.keys[0])) {
		if !n.swap {
			form.There = fmt.Sprintf("{%q:%s}", n.keys[0], n.members[0].form())
		}
		return form
	}
	for i, m := range n.members {
		at := fmt.Sprintf("%s[%d]", path, i)
		if n.kind == '{' {
			at = strings.TrimPrefix(path+"."+n.keys[i], ".")
			if n.keys[i] != key && containerName.MatchString(m.text) {
				form.There = fmt.Sprintf("{%q:%q,…}", n.keys[i], m.text)
				return form
			}
		}
		if form := m.namedOtherwise(key, names, at); form != nil {
			return form
		}
	}
	return nil
}

// className is the name of a class in a package, containerName that of a map or list, and
// valueName that of a class whose values are texts or numbers.
var (
	valueName     = regexp.MustCompile(`^java\.(lang\.(Long|Short|Byte|Float|Character)|util\.(Date|UUID)|math\.Big[A-Za-z]+|time\.[A-Za-z]+)$`)
	className     = regexp.MustCompile(`^([\pL_$][\pL\pN_$]*\.)+[\p{Lu}][\pL\pN_$]*$`)
	containerName = regexp.MustCompile(`^java\.util\.[A-Za-z.$]*(Map|List|Set)$`)
)
