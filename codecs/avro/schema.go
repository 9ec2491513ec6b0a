package avro

import (
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/avro"
)

// kind is the kind of an Avro type.
type kind uint8

const (
	null kind = iota
	boolean
	integer
	long
	float
	double
	text
	data
	fixed
	enum
	record
	array
	mapping
	union
)

var kinds = map[string]kind{
	"null": null, "boolean": boolean, "int": integer, "long": long, "float": float, "double": double,
	"string": text, "bytes": data, "fixed": fixed, "enum": enum, "record": record, "error": record,
	"array": array, "map": mapping, "union": union,
}

var kindNames = [...]string{
	null: "null", boolean: "boolean", integer: "int", long: "long", float: "float", double: "double",
	text: "string", data: "bytes", fixed: "fixed", enum: "enum", record: "record",
	array: "array", mapping: "map", union: "union",
}

// form says which Java values stand for a type: those of its kind, or others that
// Jackson writes as such.
type form uint8

const (
	formKind       form = iota
	formByte            // int: a Byte
	formShort           // int: a Short
	formChar            // int: a Character
	formDate            // long: the milliseconds of a date
	formBigDecimal      // string: its decimal text
	formBigInteger      // string: its decimal text
	formISO             // string: a date as Jackson 3 spells it
	formDecimal         // bytes, fixed: its unscaled value, see node.scale
	formUUID            // fixed: its 16 bytes
	formName            // enum: the name of the constant, without its class
	formMap             // record: a map
)

// node is one type of a schema. Nodes of recursive types point to each other. It is
// immutable once its schema is compiled.
type node struct {
	kind    kind
	form    form
	name    string // full name of a record, enum or fixed
	class   string // java-class, as Jackson's schemas tell it
	fields  []field
	index   map[string]int // of fields, or of an enum's symbols
	symbols []string
	size    int   // of a fixed
	scale   int32 // of a decimal
	elem    *node // of an array or map
	types   []*node
	null    int // the branch of a union that is null, -1 if there is none
}

type field struct {
	name string
	node *node
}

// String returns the type as errors name it.
func (n *node) String() string {
	s := kindNames[n.kind]
	switch {
	case n.name != "":
		s += " " + n.name
	case n.class != "":
		s += " of " + n.class
	}
	return s
}

// only returns the one branch of a union that is not null, nil if there are more or
// none.
func (n *node) only() *node {
	var found *node
	for i, t := range n.types {
		if i == n.null {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}

// compile returns the type that a schema describes.
func compile(schema string) (*node, error) {
	if strings.TrimSpace(schema) == "" {
		return nil, errors.New("it is empty, and nothing in a payload says what it holds: give the JSON that the Java side's " +
			"schema.getAvroSchema() prints")
	}
	s, err := avro.Parse(schema)
	if err != nil {
		return nil, err
	}
	root := s.Root()
	c := compiler{named: map[string]*node{}}
	return c.node(root, "")
}

type compiler struct{ named map[string]*node }

// node compiles a type that stands in a namespace.
func (c *compiler) node(s *avro.SchemaNode, space string) (*node, error) {
	k, ok := kinds[s.Type]
	if !ok {
		if n := c.named[space+"."+s.Type]; n != nil && !strings.Contains(s.Type, ".") {
			return n, nil
		}
		if n := c.named[s.Type]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("type %q is not described before it is used", s.Type)
	}
	n := &node{kind: k, null: -1}
	n.class, _ = s.Props["java-class"].(string)
	switch k {
	case fixed, enum, record:
		n.name, space = s.Name, s.Namespace
		if i := strings.LastIndexByte(s.Name, '.'); i >= 0 {
			space = s.Name[:i]
		} else if space != "" {
			n.name = space + "." + s.Name
		}
		c.named[n.name] = n
	default:
	}
	if err := c.inside(n, s, space); err != nil {
		return nil, err
	}
	n.form = formOf(n, s)
	return n, nil
}

// inside compiles what a type is made of.
func (c *compiler) inside(n *node, s *avro.SchemaNode, space string) (err error) {
	switch n.kind {
	case fixed:
		n.size = s.Size
	case enum:
		n.symbols = s.Symbols
		n.index = make(map[string]int, len(s.Symbols))
		for i, name := range s.Symbols {
			n.index[name] = i
		}
	case record:
		n.index = make(map[string]int, len(s.Fields))
		for i := range s.Fields {
			f := &s.Fields[i]
			n.index[f.Name] = i
			n.fields = append(n.fields, field{name: f.Name})
			if n.fields[i].node, err = c.node(&f.Type, space); err != nil {
				return err
			}
		}
	case array:
		n.elem, err = c.node(s.Items, space)
	case mapping:
		n.elem, err = c.node(s.Values, space)
	case union:
		for i := range s.Branches {
			var inner *node
			if inner, err = c.node(&s.Branches[i], space); err != nil {
				return err
			}
			if inner.kind == null {
				n.null = i
			}
			n.types = append(n.types, inner)
		}
	default:
	}
	return err
}

// classForms are the forms of what Jackson writes of some classes.
var classForms = map[kind]map[string]form{
	integer: {"java.lang.Byte": formByte, "java.lang.Short": formShort, "java.lang.Character": formChar},
	long: {
		"java.util.Date": formDate, "java.util.Calendar": formDate, "java.util.GregorianCalendar": formDate,
		"java.sql.Timestamp": formDate, "java.sql.Date": formDate,
	},
	text: {"java.math.BigDecimal": formBigDecimal, "java.math.BigInteger": formBigInteger},
}

// formOf returns the form that the schema implies. Jackson names Java classes in
// java-class; of the logical types it knows decimal only, and writes dates as the
// milliseconds they are.
func formOf(n *node, s *avro.SchemaNode) form {
	if f, ok := classForms[n.kind][n.class]; ok {
		return f
	}
	switch n.kind {
	case long:
		if s.LogicalType == "timestamp-millis" {
			return formDate
		}
	case data, fixed:
		if s.LogicalType == "decimal" {
			n.scale = int32(s.Scale)
			return formDecimal
		}
		if n.kind == fixed && n.size == 16 && (n.name == "java.util.UUID" || s.LogicalType == "uuid") {
			return formUUID
		}
	default:
	}
	return formKind
}
