package gosource

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// Type is one Go type with a Java class.
type Type struct {
	Go    string         // its Go name
	Pos   token.Position // where it is declared
	Class *java.Class    // what it describes; nil where its declaration does not read
	Err   error          // what is wrong with it: fields at fault are not in Class
	// Fields are where the Java fields of Class stand in the source, also those at
	// fault.
	Fields map[string]token.Position
}

// Types returns the types of the package that have a JavaClass method, in the
// order of the files. Mistakes stand next to the type they are in.
func (p *Package) Types() []Type {
	var list []Type
	for i, file := range p.files {
		if p.wanted != nil && !p.wanted[p.names[i]] {
			continue
		}
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.TYPE {
				continue
			}
			for _, spec := range gen.Specs {
				if t, ok := p.classType(spec.(*ast.TypeSpec)); ok {
					list = append(list, t)
				}
			}
		}
	}
	return list
}

func (p *Package) classType(spec *ast.TypeSpec) (Type, bool) {
	obj, ok := p.types.Scope().Lookup(spec.Name.Name).(*types.TypeName)
	if !ok || obj.IsAlias() {
		return Type{}, false
	}
	decl, err := p.declaration(obj.Type())
	if decl == "" && err == nil {
		return Type{}, false
	}
	t := Type{Go: spec.Name.Name, Pos: p.loader.fset.Position(spec.Pos()), Fields: map[string]token.Position{}}
	if err == nil {
		t.Class, err = java.ParseClass(decl)
	}
	if err == nil {
		err = p.fill(obj.Type(), t.Class, t.Fields)
	}
	t.Err = err
	return t, true
}

// fill adds superclass and fields to the class of a type.
func (p *Package) fill(t types.Type, c *java.Class, at map[string]token.Position) error {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		return p.fillStruct(t, u, c, at)
	case *types.Basic:
		if c.Kind != java.KindEnum || len(c.Constants) == 0 {
			return fmt.Errorf("a %s type is an enum: declare it as enum %s {…} with its constants", u, c.Name)
		}
	case *types.Slice, *types.Map:
		if c.Super.IsZero() {
			return fmt.Errorf("say which collection it extends: %s extends java.util.ArrayList<…>", c.Name)
		}
	default:
		return fmt.Errorf("a type like %s cannot stand for a class", short(u))
	}
	return nil
}

func (p *Package) fillStruct(t types.Type, s *types.Struct, c *java.Class, at map[string]token.Position) error {
	if c.Kind == java.KindEnum {
		return errors.New("an enum is a named string or integer type")
	}
	fields, fieldErr := p.rawFields(t)
	supers := p.superTypes(s, c.Name)
	if len(supers) > 1 {
		return fmt.Errorf("%s and %s both stand for its superclass", short(supers[0]), short(supers[1]))
	}
	errs := []error{fieldErr}
	if len(supers) == 1 && c.Super.IsZero() {
		var err error
		c.Super, err = p.describer(nil).describe(supers[0])
		errs = append(errs, err)
	}
	d := p.describer(t)
	for _, f := range fields {
		if f.level != c.Name {
			continue
		}
		at[f.name] = p.loader.fset.Position(f.pos)
		declared := f.tag.Type
		if declared.IsZero() {
			var err error
			if declared, err = d.describe(f.typ); err != nil {
				errs = append(errs, fmt.Errorf("field %s: %w", f.goName, err))
				continue
			}
		}
		c.Fields = append(c.Fields, java.ClassField{Name: f.name, Type: declared, Format: f.tag.Format})
	}
	return errors.Join(errs...)
}

// class returns the declared class of a type, nil where there is none or it does
// not read.
func (p *Package) class(t types.Type) *java.Class {
	decl, err := p.declaration(t)
	if err != nil || decl == "" {
		return nil
	}
	c, err := java.ParseClass(decl)
	if err != nil {
		return nil
	}
	return c
}

// declaration returns what the JavaClass method of t says, "" where it has none.
func (p *Package) declaration(t types.Type) (string, error) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return "", nil
	}
	home := p.home(n.Obj().Pkg())
	if home == nil {
		return "", nil
	}
	for _, file := range home.files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if ok && isJavaClass(f) && receiver(f) == n.Obj().Name() {
				return home.returned(f)
			}
		}
	}
	if s, ok := n.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if decl, _ := p.declaration(f.Type()); f.Embedded() && decl != "" {
				return "", fmt.Errorf("it takes its class from the embedded %s: give it a JavaClass method of its own", f.Name())
			}
		}
	}
	return "", nil
}

// home returns the package that was read from source, nil for stand-ins.
func (p *Package) home(t *types.Package) *Package {
	if p.types == t {
		return p
	}
	for _, other := range p.loader.packages {
		if other.types == t {
			return other
		}
	}
	return nil
}

// isJavaClass reports whether f is the method that gotypes.Classer asks for.
func isJavaClass(f *ast.FuncDecl) bool {
	if f.Name.Name != "JavaClass" || f.Recv == nil || f.Type.Params.NumFields() != 0 || f.Type.Results.NumFields() != 1 {
		return false
	}
	result, ok := f.Type.Results.List[0].Type.(*ast.Ident)
	return ok && result.Name == "string"
}

// receiver returns the name of the type that has a method.
func receiver(f *ast.FuncDecl) string {
	e := f.Recv.List[0].Type
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// returned evaluates the constant that a method returns.
func (p *Package) returned(f *ast.FuncDecl) (string, error) {
	if f.Body != nil && len(f.Body.List) == 1 {
		if r, ok := f.Body.List[0].(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
			err := types.CheckExpr(p.loader.fset, p.types, token.NoPos, r.Results[0], info)
			if v := info.Types[r.Results[0]].Value; err == nil && v != nil && v.Kind() == constant.String {
				return constant.StringVal(v), nil
			}
		}
	}
	return "", errors.New("its JavaClass method does more than return a constant, so it cannot be read without running it")
}

// field is one Java field of a struct, as gotypes.FieldDesc has it.
type field struct {
	name, goName string
	level        string
	typ          types.Type
	tag          gotypes.Tag
	pos          token.Pos
}

// rawFields collects the Java fields of a struct, of its superclasses too.
func (p *Package) rawFields(t types.Type) ([]field, error) {
	var level string
	if c := p.class(t); c != nil {
		level = c.Name
	}
	var fields []field
	var errs []error
	p.collect(t.Underlying().(*types.Struct), level, "", &fields, &errs)
	return fields, errors.Join(errs...)
}

func (p *Package) collect(s *types.Struct, level, path string, fields *[]field, errs *[]error) {
	for i := range s.NumFields() {
		f := s.Field(i)
		tag, err := gotypes.ParseTag(reflect.StructTag(s.Tag(i)).Get(gotypes.TagKey))
		switch {
		case err != nil:
			*errs = append(*errs, fmt.Errorf("field %s%s: bad tag: %w", path, f.Name(), err))
			continue
		case tag.Skip:
			continue
		}
		if inner, ok := lends(f, tag); ok {
			at := level
			if c := p.class(f.Type()); c != nil && level != "" {
				at = c.Name
			}
			if len(path) < maxPath {
				p.collect(inner, at, path+f.Name()+".", fields, errs)
			}
			continue
		}
		if err := unusable(f, s.Tag(i), tag); err != nil {
			*errs = append(*errs, fmt.Errorf("field %s%s: %w", path, f.Name(), err))
			continue
		}
		if !f.Exported() {
			continue
		}
		name := tag.Name
		if name == "" {
			name = gotypes.DefaultName(f.Name())
		}
		if at := slices.IndexFunc(*fields, func(o field) bool { return o.level == level && o.name == name }); at >= 0 {
			*errs = append(*errs, fmt.Errorf("field %s%s: the Java name %q is already that of field %s", path, f.Name(), name, (*fields)[at].goName))
			continue
		}
		*fields = append(*fields, field{name: name, goName: path + f.Name(), level: level, typ: f.Type(), tag: tag, pos: f.Pos()})
	}
}

// unusable says why a field can stand for nothing.
func unusable(f *types.Var, text string, tag gotypes.Tag) error {
	_, tagged := reflect.StructTag(text).Lookup(gotypes.TagKey)
	if p, ok := f.Type().(*types.Pointer); ok && f.Embedded() && tag.Name == "" {
		if _, ok := p.Elem().Underlying().(*types.Struct); ok {
			return errors.New("an embedded pointer stands for no fields: embed the struct itself, or give the field a name")
		}
	}
	if !f.Exported() && tagged {
		return errors.New("an unexported field cannot be set: export it or drop the tag")
	}
	return nil
}

// maxPath ends the path of structs that embed each other, which Go refuses.
const maxPath = 1000

// lends returns the struct behind an embedded field that stands for its own
// fields.
func lends(f *types.Var, tag gotypes.Tag) (*types.Struct, bool) {
	s, ok := f.Type().Underlying().(*types.Struct)
	return s, ok && f.Embedded() && tag.Name == "" && !opaque(f.Type())
}

// superTypes returns the embedded structs that have a class other than class.
func (p *Package) superTypes(s *types.Struct, class string) []types.Type {
	return p.supersBelow(s, class, 0)
}

func (p *Package) supersBelow(s *types.Struct, class string, depth int) []types.Type {
	var found []types.Type
	if depth > maxPath {
		return nil
	}
	for i := range s.NumFields() {
		f := s.Field(i)
		tag, err := gotypes.ParseTag(reflect.StructTag(s.Tag(i)).Get(gotypes.TagKey))
		if err != nil || tag.Skip {
			continue
		}
		inner, ok := lends(f, tag)
		if !ok {
			continue
		}
		if c := p.class(f.Type()); c != nil && c.Name != class {
			found = append(found, f.Type())
			continue
		}
		found = append(found, p.supersBelow(inner, class, depth+1)...)
	}
	return found
}
