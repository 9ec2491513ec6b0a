package foreign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/framework/fault"
)

// OtherForm reads a payload without a Go type, writes it again, and returns the first place
// where the form is another one: the ObjectMapper of the Java service is configured otherwise
// than the codec. It returns nil where the forms agree, where the codec cannot read the payload,
// and where the codec leaves no choice to a mapper.
func OtherForm(c codecs.Codec, payload []byte) *fault.ForeignForm {
	return otherForm(c, payload, nil, true)
}

// otherForm is OtherForm for a payload that a Go type writes again too, unless typed is nil. Its
// tags know what annotations say of its fields, so that these differ only where it says so too.
// open says that the Go type takes any class at the root.
func otherForm(c codecs.Codec, payload, typed []byte, open bool) *fault.ForeignForm {
	c, text := codecs.TextIn(c)
	payload, err := text(payload)
	if err != nil {
		return nil // reading it says what is wrong
	}
	if c.Name() == "string" {
		return quoted(payload)
	}
	if !hasForm(c) {
		return nil
	}
	if a := tree(c, payload); open && a != nil {
		key, names := classKey(c)
		if names && !namesRoot(c) && a.namesClass(key) {
			return &fault.ForeignForm{There: a.form(), Writes: "no class"}
		}
		if form := a.namedOtherwise(key, names, ""); form != nil {
			return form
		}
	}
	if !TellsForm(c, payload) {
		return nil
	}
	v, err := c.Decode(payload)
	if err != nil {
		return nil
	}
	again, err := c.Encode(v)
	if err != nil {
		return nil
	}
	return compare(c, payload, again, typed)
}

// quoted returns the form of a text that is a string of JSON, which StringCodec did not write.
func quoted(payload []byte) *fault.ForeignForm {
	if n, err := parse(payload); err == nil && n.kind == '"' {
		return &fault.ForeignForm{There: `"…"`, Writes: "a text without quotes"}
	}
	return nil
}

// hasForm reports whether payloads of a codec are in a form that a mapper chooses: those of
// Jackson's family, but for MessagePack and Avro, which one codec alone writes.
func hasForm(c codecs.Codec) bool {
	name := c.Name()
	return !strings.Contains(name, "(") &&
		(strings.Contains(name, "json") || isIon(c) || strings.HasPrefix(name, "cbor") || strings.HasPrefix(name, "smile"))
}

func isIon(c codecs.Codec) bool { return strings.HasPrefix(c.Name(), "ion") }

// TellsForm reports whether a payload of the codec shows what wrote it: texts and numbers alone
// are alike for all mappers, and for several codecs.
func TellsForm(c codecs.Codec, payload []byte) bool {
	c, text := codecs.TextIn(c)
	name := c.Name()
	switch {
	case strings.Contains(name, "("):
		return true
	case strings.Contains(name, "json"), isIon(c):
		inner, err := text(payload)
		return err == nil && (bytes.IndexByte(inner, '{') >= 0 || isIon(c) && bytes.Contains(inner, annotation))
	case strings.HasPrefix(name, "cbor"), strings.HasPrefix(name, "msgpack"):
		const ascii = 0x80
		return len(payload) > 0 && payload[0] >= ascii
	}
	return true
}

// compare returns the first place where two payloads for one value differ in form, and the one
// of a Go type as well where there is one.
func compare(c codecs.Codec, there, writes, typed []byte) *fault.ForeignForm {
	if bytes.Equal(there, writes) {
		return nil
	}
	c, text := codecs.TextIn(c)
	there, errThere := text(there)
	writes, errWrites := text(writes)
	if !hasForm(c) || errors.Join(errThere, errWrites) != nil {
		return nil
	}
	a, b := tree(c, there), tree(c, writes)
	if a == nil || b == nil {
		return nil // reading it says what is wrong
	}
	var of *node
	if typed, errThere = text(typed); errThere == nil && typed != nil {
		of = tree(c, typed) // what has no form decides nothing
	}
	key, _ := classKey(c)
	return differ(a, b, of, cmp.Or(key, "@class"), "")
}

// annotation is what follows a class in Ion.
var annotation = []byte("::")

// tree returns the value that a payload shows before classes are looked for; nil where it shows
// none.
func tree(c codecs.Codec, payload []byte) *node {
	if bare, ok := c.(interface{ WithoutClasses() codecs.Codec }); ok && (strings.HasPrefix(c.Name(), "cbor") || strings.HasPrefix(c.Name(), "smile")) {
		v, err := bare.WithoutClasses().Decode(payload)
		if err != nil {
			return nil
		}
		return nodeOf(v)
	}
	n, err := parse(payload)
	switch {
	case err == nil && strings.Contains(c.Name(), "as=WRAPPER_OBJECT"):
		return n.swapped()
	case err == nil:
		return n
	case isIon(c) && bytes.Contains(payload, annotation):
		return &node{kind: ':'}
	case isIon(c):
		return &node{kind: 'i'}
	}
	return nil
}

// nodeOf returns the node of a value that was read without classes.
func nodeOf(v any) *node {
	switch v := v.(type) {
	case nil:
		return &node{kind: 'n'}
	case bool:
		return &node{kind: 't'}
	case string:
		return &node{kind: '"', text: v}
	case *java.List:
		n := &node{kind: '['}
		for _, e := range v.Elements {
			n.members = append(n.members, nodeOf(e))
		}
		return n
	case *java.Map:
		n := &node{kind: '{'}
		for _, e := range v.Entries {
			n.keys, n.members = append(n.keys, fmt.Sprint(e.Key)), append(n.members, nodeOf(e.Value))
		}
		return n
	case int8, int16, int32, int64, *big.Int, java.BigDecimal:
		return &node{kind: '0'}
	}
	return &node{kind: 'n'} // NaN, bytes, dates: releases write them in several forms
}

// node is a value: its members in order, its elements, or its text.
type node struct {
	// kind is '{', '[', '"', '0' for numbers, 't' for booleans, 'n' for null and what is not
	// compared, and for Ion that is no JSON ':' with classes and 'i' without.
	kind    byte
	keys    []string
	members []*node
	text    string
	swap    bool // see swapped
}

// maxNest bounds how deep forms are compared.
const maxNest = 100

func parse(text []byte) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	n, err := read(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("bytes follow the value")
	}
	return n, nil
}

func read(d *json.Decoder, nest int) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case string:
		return &node{kind: '"', text: t}, nil
	case json.Number:
		return &node{kind: '0', text: t.String()}, nil
	case bool:
		return &node{kind: 't'}, nil
	case json.Delim:
		if nest == maxNest {
			return nil, fmt.Errorf("nested deeper than %d", maxNest)
		}
		n := &node{kind: byte(t)}
		for d.More() {
			if n.kind == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				n.keys = append(n.keys, key.(string))
			}
			m, err := read(d, nest+1)
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, m)
		}
		_, err := d.Token() // its end
		return n, err
	}
	return &node{kind: 'n'}, nil
}

// wrapped returns the class and the value of a wrapper array, ["class",value].
func (n *node) wrapped() (class string, value *node) {
	if n != nil && n.kind == '[' && len(n.members) == 2 && n.members[0].kind == '"' && typeName.MatchString(n.members[0].text) {
		return n.members[0].text, n.members[1]
	}
	return "", nil
}

// typeName is what a wrapper array names: a class of a package, or an array.
var typeName = regexp.MustCompile(`^(\[+[A-Z]|[\pL_$][\pL\pN_$]*\.)`)

// leaf reports whether a value is no container, but for the array that names its class.
func (n *node) leaf() bool {
	if in := n.value(); in != nil {
		n = in
	}
	return n.kind != '[' && n.kind != '{'
}

// value returns what a wrapper array holds, nil where it is none.
func (n *node) value() *node {
	_, in := n.wrapped()
	return in
}

// element returns an element of an array, nil where there is none.
func (n *node) element(i int) *node {
	if n == nil || n.kind != '[' || i >= len(n.members) {
		return nil
	}
	return n.members[i]
}

// member returns the member of that name, nil where there is none.
func (n *node) member(key string) *node {
	if n == nil {
		return nil
	}
	if i := slices.Index(n.keys, key); i >= 0 {
		return n.members[i]
	}
	return nil
}

// differ returns the first place where the form of b is not that of a, nor that of typed unless
// it is nil. key is the property in which classes are named. Members and elements that only one of them has do not count: a Go type need not have
// all fields.
func differ(a, b, typed *node, key, path string) *fault.ForeignForm {
	other := &fault.ForeignForm{Path: path, There: a.form(), Writes: b.form()}
	if typed != nil && typed.kind != 'n' && a.leaf() && differ(a, typed, nil, key, path) == nil {
		return nil
	}
	classA, inA := a.wrapped()
	classB, inB := b.wrapped()
	switch {
	case a.kind == 'n' || b.kind == 'n':
		return nil
	case (classA == "") != (classB == ""):
		return other
	case classA != "":
		return differ(inA, inB, typed.value(), key, path)
	case a.kind != b.kind:
		return other
	}
	switch a.kind {
	case '"':
		if other.There != other.Writes {
			return other
		}
	case '[':
		for i := range min(len(a.members), len(b.members)) {
			if f := differ(a.members[i], b.members[i], typed.element(i), key, fmt.Sprintf("%s[%d]", path, i)); f != nil {
				return f
			}
		}
	case '{':
		for _, key := range []string{"@class", key} {
			if (a.member(key) == nil) != (b.member(key) == nil) {
				return other
			}
		}
		if there, writes := a.renamed(b); there != "" {
			at := strings.TrimPrefix(path+"."+there, ".")
			return &fault.ForeignForm{Path: at, There: fmt.Sprintf("%q:…", there), Writes: fmt.Sprintf("%q:…", writes)}
		}
		for i, name := range a.keys {
			if m := b.member(name); m != nil {
				if f := differ(a.members[i], m, typed.member(name), key, strings.TrimPrefix(path+"."+name, ".")); f != nil {
					return f
				}
			}
		}
	}
	return nil
}

// renamed returns a member that b has by another spelling of its name.
func (n *node) renamed(b *node) (there, writes string) {
	for _, key := range n.keys {
		for _, other := range b.keys {
			if key != other && plainName(key) == plainName(other) && b.member(key) == nil && n.member(other) == nil {
				return key, other
			}
		}
	}
	return "", ""
}

// plainName is a name as all naming strategies spell it, but for case and what joins its words.
func plainName(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' {
			return -1
		}
		return r
	}, name))
}

// form shows what kind of value stands there, and nothing of what it holds but classes.
func (n *node) form() string {
	switch n.kind {
	case '"':
		if p := datePattern(n.text); p != "" {
			return `"` + p + `"`
		}
		return `"…"`
	case '0':
		return "a number"
	case 't':
		return "a boolean"
	case 'n':
		return "null"
	case ':':
		return "'…'::…"
	case 'i':
		return "Ion without classes"
	case '[':
		switch class, in := n.wrapped(); {
		case n.swap:
			return fmt.Sprintf("{%q:%s}", class, in.form())
		case class != "":
			return fmt.Sprintf("[%q,%s]", class, in.form())
		}
		return "[…]"
	}
	if n.swap {
		return fmt.Sprintf("[%q,%s]", n.keys[0], n.members[0].form())
	}
	if class := n.member("@class"); class != nil {
		return fmt.Sprintf(`{"@class":%q,…}`, class.text)
	}
	return "{…}"
}

// dateText is a date, or a date with a time.
var dateText = regexp.MustCompile(`^\d{4}([-/])\d{2}[-/]\d{2}(?:([T ])\d{2}:\d{2}(:\d{2})?([.,]\d+)?(Z|[+-]\d{2}:?\d{2})?)?(\[.*\])?$`)

// datePattern returns the pattern of a text that is a date, "" of another text.
func datePattern(text string) string {
	m := dateText.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	p := "yyyy" + m[1] + "MM" + m[1] + "dd"
	if m[2] == "" {
		return p
	}
	p += m[2] + "HH:mm"
	if m[3] != "" || m[4] != "" {
		p += ":ss"
	}
	switch {
	case m[5] == "":
	case strings.Contains(m[5], ":"):
		p += "XXX"
	default:
		p += "X"
	}
	return p
}
