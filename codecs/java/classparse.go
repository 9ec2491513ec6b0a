package java

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ParseClass reads the declaration of a class in Java's own words:
//
//	[custom] [final] [record|enum] Name [<T [extends Bound],…>] [extends Super]
//	    [implements Name,…] [{CONSTANT [{Body}] [=JSON],…}] [serial N|none]
//	    [order PROPERTY,…] [json NAMED]
//
// for example
//
//	demo.Order
//	final demo.Money serial 42
//	record demo.Point
//	demo.Sub<T extends java.lang.Number> extends demo.Base<T,java.lang.String>
//	enum demo.Op {ADD{demo.Op$1}, SUB{demo.Op$2}}
//	demo.Base serial none
//	custom demo.Writer serial 42
//	enum demo.Status {OPEN=10, PAID="p"}
//	demo.Card extends demo.Payment json type=card
//	demo.Page order page,size
//
// Where Java writes more bounds (T extends A & B) only the first one counts. The
// braces of a constant name its own class, which it has when it is declared with
// a body. The number after serial is the serialVersionUID, decimal or with 0x;
// serial none means a class that is not Serializable. A custom class is one with
// its own writeObject, writeExternal, writeReplace or serialPersistentFields.
// A constant may say what it is in JSON (@JsonValue, @JsonProperty): a number or a text in
// quotes. The properties behind order stand before all others in JSON (@JsonPropertyOrder).
// The rest of the text behind json is what @JsonTypeInfo says of how objects name
// their class: type=card for a member "type", existing type=card where that is a field, {card}
// and [card] for what is around the object. Nothing stands for card where only subclasses have objects.
// A declaration names no fields: those come from a Go type, see package gotypes.
// Superclasses are taken as they are; whether they exist, [NewClasses] does not
// ask either. The error is a [*ClassError].
func ParseClass(decl string) (*Class, error) {
	p := &classParser{typeParser: typeParser{text: decl}, class: &Class{}}
	err := p.declaration()
	if err != nil {
		return nil, &ClassError{Class: decl, Reason: fmt.Sprintf("at character %d", p.at+1), Err: err}
	}
	if err := p.class.check(); err != nil {
		return nil, err
	}
	return p.class, nil
}

type classParser struct {
	typeParser
	class *Class
}

func (p *classParser) declaration() error {
	c := p.class
	c.Custom = p.word("custom")
	c.Final = p.word("final")
	switch {
	case p.word("record"):
		c.Kind = KindRecord
	case p.word("enum"):
		c.Kind = KindEnum
	}
	if c.Final && c.Kind != KindBean {
		return errors.New("final is for ordinary classes: records and enums say themselves whether they are")
	}
	var err error
	if c.Name, err = p.name(); err != nil {
		return err
	}
	for _, part := range []func() error{p.params, p.super, p.interfaces, p.constants, p.serial, p.order, p.json} {
		if err := part(); err != nil {
			return err
		}
	}
	p.space()
	if p.at < len(p.text) {
		return fmt.Errorf("unexpected %q", p.text[p.at:])
	}
	c.Final = c.Final || c.Kind == KindRecord || c.Kind == KindEnum && !c.hasBodies()
	return nil
}

// word takes a keyword that is followed by a space.
func (p *classParser) word(keyword string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.text[p.at:], keyword)
	if !ok || !strings.HasPrefix(rest, " ") {
		return false
	}
	p.at += len(keyword)
	return true
}

func (p *classParser) params() error {
	if !p.take("<") {
		return nil
	}
	for {
		name, err := p.identifier("a type parameter")
		if err != nil {
			return err
		}
		param := TypeParam{Name: name}
		if p.word("extends") {
			if param.Bound, err = p.reference(); err != nil {
				return err
			}
			for p.take("&") {
				if _, err := p.reference(); err != nil {
					return err
				}
			}
			if param.Bound.Class == objectClass {
				param.Bound = TypeExpr{}
			}
		}
		p.class.Params = append(p.class.Params, param)
		if p.take(">") {
			return nil
		}
		if !p.take(",") {
			return errors.New("expected , or >")
		}
	}
}

// reference reads a type that is a class.
func (p *classParser) reference() (TypeExpr, error) {
	t, err := p.parse(0)
	if err == nil && (t.Primitive() || t.Dims > 0) {
		err = fmt.Errorf("%s is no class", t)
	}
	return t, err
}

func (p *classParser) super() error {
	if !p.word("extends") {
		return nil
	}
	t, err := p.reference()
	if err != nil {
		return err
	}
	if p.class.Kind != KindBean {
		return errors.New("records and enums extend no class of yours")
	}
	if t.Class != objectClass {
		p.class.Super = t
	}
	return nil
}

func (p *classParser) interfaces() error {
	if !p.word("implements") {
		return nil
	}
	for {
		t, err := p.reference()
		if err != nil {
			return err
		}
		p.class.Interfaces = append(p.class.Interfaces, t.Class)
		if !p.take(",") {
			return nil
		}
	}
}

func (p *classParser) constants() error {
	if !p.take("{") {
		return nil
	}
	if p.class.Kind != KindEnum {
		return errors.New("only enums have constants")
	}
	p.class.Constants = []Constant{}
	for !p.take("}") {
		name, err := p.identifier("a constant")
		if err != nil {
			return err
		}
		k := Constant{Name: name}
		if p.take("{") {
			if k.Body, err = p.name(); err != nil {
				return err
			}
			if !p.take("}") {
				return errors.New("expected } after the class of a constant")
			}
		}
		if k.JSON, err = p.literal(); err != nil {
			return err
		}
		p.class.Constants = append(p.class.Constants, k)
		if !p.take(",") {
			if p.take("}") {
				return nil
			}
			return errors.New("expected , or }")
		}
	}
	return nil
}

// literal reads what a constant is in JSON, empty for nothing.
func (p *classParser) literal() (string, error) {
	if !p.take("=") {
		return "", nil
	}
	p.space()
	rest := p.text[p.at:]
	text, err := strconv.QuotedPrefix(rest)
	if err != nil || text[0] != '"' {
		text = rest[:len(rest)-len(strings.TrimLeft(rest, "-0123456789"))]
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || strconv.FormatInt(n, 10) != text {
			return "", errors.New("expected a whole number or a text in double quotes behind =")
		}
	}
	p.at += len(text)
	return text, nil
}

// order reads the properties that are written first.
func (p *classParser) order() error {
	if !p.word("order") {
		return nil
	}
	p.space()
	text, _, _ := strings.Cut(p.text[p.at:], " ")
	p.at += len(text)
	p.class.Order = strings.Split(text, ",")
	if slices.Contains(p.class.Order, "") {
		return errors.New("order needs the names of properties with a comma between them and no blank: order page,size")
	}
	return nil
}

// json reads how objects name their class: it is the last part.
func (p *classParser) json() error {
	if !p.word("json") {
		return nil
	}
	text, f := strings.TrimSpace(p.text[p.at:]), &p.class.JSON
	rest, existing := strings.CutPrefix(text, "existing ")
	property, id, named := strings.Cut(rest, "=")
	last := len(text) - 1
	switch {
	case last > 0 && text[0] == '{' && text[last] == '}':
		f.Form, f.ID = TypeObject, text[1:last]
	case last > 0 && text[0] == '[' && text[last] == ']':
		f.Form, f.ID = TypeArray, text[1:last]
	case !named || strings.TrimSpace(property) == "":
		return errors.New("json says how objects name their class: expected type=NAME, existing type=NAME, {NAME} or [NAME]")
	case existing:
		f.Form, f.Property, f.ID = TypeExisting, property, id
	default:
		f.Form, f.Property, f.ID = TypeProperty, property, id
	}
	p.at = len(p.text)
	return nil
}

// serialNone marks the serialVersionUID of a class that is not Serializable.
const serialNone = "none"

func (p *classParser) serial() error {
	if !p.word("serial") {
		return nil
	}
	p.space()
	text := p.text[p.at:]
	if end := strings.IndexByte(text, ' '); end >= 0 {
		text = text[:end]
	}
	if text == serialNone {
		p.at += len(text)
		p.class.NotSerializable = true
		return nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "L"), 0, 64)
	if err != nil {
		return fmt.Errorf("%q is no serialVersionUID: expected a number of 64 bits, or none", text)
	}
	p.at += len(text)
	p.class.Serial = &n
	return nil
}

// identifier reads a name without dots.
func (p *classParser) identifier(what string) (string, error) {
	p.space()
	start := p.at
	for p.at < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if !unicode.IsLetter(r) && r != '_' && r != '$' && (p.at == start || !unicode.IsDigit(r)) {
			break
		}
		p.at += n
	}
	if p.at == start {
		return "", fmt.Errorf("expected the name of %s", what)
	}
	return p.text[start:p.at], nil
}
