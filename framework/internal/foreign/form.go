package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework/fault"
)

// OtherForm reads a payload without a Go type, writes it again, and returns the first place
// where the form is another one: the ObjectMapper of the Java service is configured otherwise
// than the codec. It returns nil where the forms agree, where the codec cannot read the payload,
// and where it is no JSON codec, or the payload does not tell ([TellsForm]).
func OtherForm(c codecs.Codec, payload []byte) *fault.ForeignForm { return otherForm(c, payload, nil) }

// otherForm is OtherForm for a payload that a Go type writes again too, unless typed is nil. Its
// tags know what annotations say of its fields, so that these differ only where it says so too.
func otherForm(c codecs.Codec, payload, typed []byte) *fault.ForeignForm {
	if !isJSON(c) || !TellsForm(c, payload) {
		return nil
	}
	c, text := codecs.TextIn(c)
	payload, err := text(payload)
	if err != nil {
		return nil // reading it says what is wrong
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

// isJSON reports whether payloads of a codec are JSON text, in whose form mappers differ.
func isJSON(c codecs.Codec) bool {
	c, _ = codecs.TextIn(c)
	name := c.Name()
	return strings.Contains(name, "json") && !strings.Contains(name, "(")
}

// TellsForm reports whether a payload of the codec shows how the ObjectMapper that wrote it is
// configured: all of them write bare texts, numbers and lists alike. Payloads of codecs that
// leave no choice to a mapper always tell.
func TellsForm(c codecs.Codec, payload []byte) bool {
	return !isJSON(c) || bytes.IndexByte(payload, '{') >= 0
}

// compare returns the first place where two texts of JSON for one value differ in
// form, and the one of a Go type as well where there is one.
func compare(c codecs.Codec, there, writes, typed []byte) *fault.ForeignForm {
	if !isJSON(c) || bytes.Equal(there, writes) {
		return nil
	}
	_, text := codecs.TextIn(c)
	there, errThere := text(there)
	writes, errWrites := text(writes)
	a, errA := parse(there)
	b, errB := parse(writes)
	if errors.Join(errThere, errWrites, errA, errB) != nil {
		return nil // reading it says what is wrong
	}
	var of *node
	if typed, errThere = text(typed); errThere == nil && typed != nil {
		of, _ = parse(typed) // what is no JSON decides nothing
	}
	return differ(a, b, of, "")
}

// node is a JSON value: its members in order, its elements, or its text.
type node struct {
	kind    byte // '{', '[', '"', '0' for numbers, 't' for booleans, 'n' for null
	keys    []string
	members []*node
	text    string
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
	if n.kind == '[' && len(n.members) == 2 && n.members[0].kind == '"' && typeName.MatchString(n.members[0].text) {
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
	if n == nil {
		return nil
	}
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
// it is nil. Members and elements that only one of them has do not count: a Go type need not have
// all fields.
func differ(a, b, typed *node, path string) *fault.ForeignForm {
	other := &fault.ForeignForm{Path: path, There: a.form(), Writes: b.form()}
	if typed != nil && typed.kind != 'n' && a.leaf() && differ(a, typed, nil, path) == nil {
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
		return differ(inA, inB, typed.value(), path)
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
			if f := differ(a.members[i], b.members[i], typed.element(i), fmt.Sprintf("%s[%d]", path, i)); f != nil {
				return f
			}
		}
	case '{':
		if (a.member("@class") == nil) != (b.member("@class") == nil) {
			return other
		}
		for i, key := range a.keys {
			if m := b.member(key); m != nil {
				if f := differ(a.members[i], m, typed.member(key), strings.TrimPrefix(path+"."+key, ".")); f != nil {
					return f
				}
			}
		}
	}
	return nil
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
	case '[':
		if class, in := n.wrapped(); class != "" {
			return fmt.Sprintf("[%q,%s]", class, in.form())
		}
		return "[…]"
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
