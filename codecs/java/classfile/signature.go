package classfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs/java"
)

// maxSignatureDepth bounds the nesting of a generic type; java.ParseType has the
// same bound.
const maxSignatureDepth = 64

// maxArguments bounds the type arguments of one class, and its parameters.
const maxArguments = 255

// signature parses descriptors and generic signatures, JVM specification 4.7.9.1.
type signature struct {
	text string
	at   int
}

func (s *signature) take(b byte) bool {
	if s.at < len(s.text) && s.text[s.at] == b {
		s.at++
		return true
	}
	return false
}

func (s *signature) wrap(err error) error {
	return fmt.Errorf("signature %q at character %d: %w", clip(s.text), s.at+1, err)
}

func clip(text string) string {
	if len(text) > 200 {
		return text[:200] + "…"
	}
	return text
}

// fieldType parses the whole text as the type of a field.
func fieldType(text string) (java.TypeExpr, error) {
	s := &signature{text: text}
	t, err := s.typ(0)
	if err == nil && s.at < len(text) {
		err = errors.New("something follows the type")
	}
	if err != nil {
		return java.TypeExpr{}, s.wrap(err)
	}
	return t, nil
}

// classTypes parses the whole text as the signature of a class.
func classTypes(text string) (params []java.TypeParam, super java.TypeExpr, err error) {
	s := &signature{text: text}
	if s.take('<') {
		if params, err = s.params(); err != nil {
			return nil, super, s.wrap(err)
		}
	}
	if super, err = s.typ(0); err != nil {
		return nil, super, s.wrap(err)
	}
	for s.at < len(text) { // interfaces: their names stand in the class file too
		if _, err = s.typ(0); err != nil {
			return nil, super, s.wrap(err)
		}
	}
	return params, super, nil
}

// params parses type parameters up to >. Of several bounds the first counts: it
// is what the erased type is.
func (s *signature) params() ([]java.TypeParam, error) {
	var params []java.TypeParam
	for !s.take('>') {
		end := strings.IndexByte(s.text[s.at:], ':')
		if end <= 0 {
			return nil, errors.New("expected the name of a type parameter")
		}
		p := java.TypeParam{Name: s.text[s.at : s.at+end]}
		s.at += end
		for n := 0; s.take(':'); n++ {
			if n == 0 && s.at < len(s.text) && s.text[s.at] == ':' {
				continue // no class bound, an interface follows
			}
			bound, err := s.typ(0)
			if err != nil {
				return nil, err
			}
			if p.Bound.IsZero() {
				p.Bound = bound
			}
		}
		if p.Bound.Class == objectClass && p.Bound.Dims == 0 {
			p.Bound = java.TypeExpr{}
		}
		if params = append(params, p); len(params) > maxArguments {
			return nil, fmt.Errorf("more than %d type parameters", maxArguments)
		}
	}
	if len(params) == 0 {
		return nil, errors.New("no type parameter between < and >")
	}
	return params, nil
}

const objectClass = "java.lang.Object"

var primitives = map[byte]string{
	'B': "byte", 'C': "char", 'D': "double", 'F': "float", 'I': "int", 'J': "long", 'S': "short", 'Z': "boolean",
}

func (s *signature) typ(depth int) (java.TypeExpr, error) {
	if depth > maxSignatureDepth {
		return java.TypeExpr{}, errors.New("nested too deeply")
	}
	dims := 0
	for s.take('[') {
		if dims++; dims > 255 {
			return java.TypeExpr{}, errors.New("more than 255 dimensions")
		}
	}
	if s.at >= len(s.text) {
		return java.TypeExpr{}, errors.New("it ends where a type is expected")
	}
	b := s.text[s.at]
	s.at++
	switch {
	case primitives[b] != "" && (depth == 0 || dims > 0):
		return java.TypeExpr{Class: primitives[b], Dims: dims}, nil
	case b == 'T':
		end := strings.IndexByte(s.text[s.at:], ';')
		if end <= 0 {
			return java.TypeExpr{}, errors.New("a type variable without end")
		}
		name := s.text[s.at : s.at+end]
		s.at += end + 1
		return java.TypeExpr{Class: name, Dims: dims}, nil
	case b == 'L':
		t, err := s.class(depth)
		t.Dims = dims
		return t, err
	}
	return java.TypeExpr{}, fmt.Errorf("unexpected %q", b)
}

// class parses a class type behind its L. Of a nested class of a generic one
// only its own arguments count, as in java.lang.reflect.
func (s *signature) class(depth int) (java.TypeExpr, error) {
	var t java.TypeExpr
	for {
		end := strings.IndexAny(s.text[s.at:], "<;.[:>")
		if end <= 0 {
			return t, errors.New("expected a class name")
		}
		t.Class += strings.ReplaceAll(s.text[s.at:s.at+end], "/", ".")
		t.Args = nil
		s.at += end
		if s.take('<') {
			args, err := s.arguments(depth + 1)
			if err != nil {
				return t, err
			}
			t.Args = args
		}
		if s.take(';') {
			return t, nil
		}
		if !s.take('.') {
			return t, errors.New("expected ; after a class")
		}
		t.Class += "$"
	}
}

func (s *signature) arguments(depth int) ([]java.TypeExpr, error) {
	var args []java.TypeExpr
	for !s.take('>') {
		var a java.TypeExpr
		switch {
		case s.take('*'):
			a.Variance = java.Unbounded
		default:
			variance := java.Exact
			if s.take('+') {
				variance = java.Extends
			} else if s.take('-') {
				variance = java.Super
			}
			var err error
			if a, err = s.typ(depth); err != nil {
				return nil, err
			}
			a.Variance = variance
		}
		if args = append(args, a); len(args) > maxArguments {
			return nil, fmt.Errorf("more than %d type arguments", maxArguments)
		}
	}
	if len(args) == 0 {
		return nil, errors.New("no type argument between < and >")
	}
	return args, nil
}
