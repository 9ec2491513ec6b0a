package java

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Variance says what kind of type argument a [TypeExpr] is.
type Variance int

// The kinds of type arguments.
const (
	Exact     Variance = iota // a class, a primitive or a type variable
	Unbounded                 // ?
	Extends                   // ? extends X
	Super                     // ? super X
)

// TypeExpr is a Java type as written in a declaration, for example
// java.util.Map<java.lang.String,? extends java.lang.Number>[].
// The zero value means "not given".
type TypeExpr struct {
	Class    string     // class name with $ for nested classes, primitive or type variable; "" for ?
	Args     []TypeExpr // type arguments
	Dims     int        // array dimensions
	Variance Variance
}

// maxTypeDepth bounds the nesting of a type expression.
const maxTypeDepth = 64

// IsZero reports whether no type was given.
func (t TypeExpr) IsZero() bool { return t.Class == "" && t.Variance == Exact }

// Primitive reports whether t is one of Java's eight primitive types.
func (t TypeExpr) Primitive() bool {
	return t.Dims == 0 && wrappers[t.Class] != ""
}

// String writes t the way [ParseType] reads it, without needless spaces.
func (t TypeExpr) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t TypeExpr) write(b *strings.Builder) {
	switch t.Variance {
	case Unbounded:
		b.WriteByte('?')
		return
	case Extends:
		b.WriteString("? extends ")
	case Super:
		b.WriteString("? super ")
	case Exact:
	}
	b.WriteString(t.Class)
	for i, a := range t.Args {
		b.WriteByte(",<"[boolInt(i == 0)])
		a.write(b)
	}
	if len(t.Args) > 0 {
		b.WriteByte('>')
	}
	for range t.Dims {
		b.WriteString("[]")
	}
}

// ParseType reads a Java type expression: a class name or primitive, optionally
// type arguments in <…> (nested ones, wildcards with or without a bound) and
// array brackets. Spaces around each part are allowed. The error names what is
// wrong and at which character.
func ParseType(s string) (TypeExpr, error) {
	p := typeParser{text: s}
	t, err := p.parse(0)
	if err == nil {
		p.space()
		if p.at < len(s) {
			err = fmt.Errorf("unexpected %q", s[p.at:])
		}
	}
	if err != nil {
		return TypeExpr{}, fmt.Errorf("type expression %q at character %d: %w", s, p.at+1, err)
	}
	return t, nil
}

type typeParser struct {
	text string
	at   int
}

func (p *typeParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// take skips spaces and then token, if it is next.
func (p *typeParser) take(token string) bool {
	p.space()
	if strings.HasPrefix(p.text[p.at:], token) {
		p.at += len(token)
		return true
	}
	return false
}

func (p *typeParser) parse(depth int) (TypeExpr, error) {
	if depth > maxTypeDepth {
		return TypeExpr{}, errors.New("nested too deeply")
	}
	if depth > 0 && p.take("?") {
		return p.wildcard(depth)
	}
	name, err := p.name()
	if err != nil {
		return TypeExpr{}, err
	}
	t := TypeExpr{Class: name}
	if p.take("<") {
		if t.Primitive() {
			return t, fmt.Errorf("the primitive %s has no type arguments", name)
		}
		if t.Args, err = p.arguments(depth + 1); err != nil {
			return t, err
		}
	}
	for p.take("[") {
		if !p.take("]") {
			return t, errors.New("expected ] after [")
		}
		t.Dims++
	}
	if depth > 0 && t.Primitive() {
		return t, fmt.Errorf("the primitive %s cannot be a type argument: name its wrapper", name)
	}
	return t, nil
}

func (p *typeParser) wildcard(depth int) (TypeExpr, error) {
	v := Unbounded
	switch {
	case p.take("extends "):
		v = Extends
	case p.take("super "):
		v = Super
	default:
		return TypeExpr{Variance: v}, nil
	}
	t, err := p.parse(depth + 1)
	if err == nil && t.Variance != Exact {
		err = errors.New("a wildcard cannot bound a wildcard")
	}
	t.Variance = v
	return t, err
}

func (p *typeParser) arguments(depth int) ([]TypeExpr, error) {
	var args []TypeExpr
	for {
		a, err := p.parse(depth)
		if err != nil {
			return nil, err
		}
		args = append(args, a)
		if p.take(">") {
			return args, nil
		}
		if !p.take(",") {
			return nil, errors.New("expected , or >")
		}
	}
}

// name reads identifiers joined by dots.
func (p *typeParser) name() (string, error) {
	p.space()
	start := p.at
	for first := true; p.at < len(p.text); {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		switch {
		case unicode.IsLetter(r) || r == '_' || r == '$':
			first = false
		case unicode.IsDigit(r) && !first:
		case r == '.' && !first:
			first = true
		default:
			return p.named(start, first)
		}
		p.at += n
	}
	return p.named(start, p.at == start || p.text[p.at-1] == '.')
}

func (p *typeParser) named(start int, incomplete bool) (string, error) {
	if incomplete {
		return "", errors.New("expected a class name")
	}
	return p.text[start:p.at], nil
}
