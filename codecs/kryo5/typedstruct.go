package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// structure returns the node of a struct type: a bean, or a map where it has no
// class.
func (tc *typedCompiler) structure(t reflect.Type, class string, declared java.TypeExpr, ctx *layout.Type, keep func(typedNode) typedNode) typedNode {
	fields, err := java.BoundFieldsOf(t, tc.opts)
	if err != nil {
		return keep(tc.assigned(t, ctx))
	}
	if class != "" {
		return tc.bean(t, class, ctx, fields, keep)
	}
	if !tc.declares(declared, "java.util.Map", java.ClassHashMap) || len(fields) > 64 {
		return keep(tc.assigned(t, ctx))
	}
	n := &structNode{typ: t, byName: map[string]int{}}
	keep(n)
	tc.entries(&n.entrySlots, java.ClassHashMap, ctx)
	names := make([]string, len(fields))
	omits := false
	for i, f := range fields {
		n.byName[f.Name] = i
		names[i] = f.Name
		omits = omits || f.OmitEmpty
		wire, ok := appendString([]byte{idString}, f.Name)
		if !ok {
			tc.stuck = true
		}
		slot := typedSlot{node: tc.node(f.GoType, f.Type, nil, true), inside: true}
		slot.expect = slot.node.usual()
		n.fields = append(n.fields, entryField{name: f.Name, wire: wire, offset: offsetOf(t, f.Index), slot: slot})
	}
	if omits {
		tc.reads = true
	} else {
		java.HashOrderStrings(names)
		for _, name := range names {
			n.order = append(n.order, n.byName[name])
		}
	}
	return n
}

// offsetOf returns the offset of a field of t or of a struct embedded in it.
func offsetOf(t reflect.Type, index []int) uintptr {
	var offset uintptr
	for _, i := range index {
		f := t.Field(i)
		offset += f.Offset
		t = f.Type
	}
	return offset
}

// typedBean is the layout of the class of a Go struct. There is one per plan, since
// contexts are told apart by their address.
type typedBean struct {
	layout  *layout.Bean
	classes *java.Classes // the description of the struct itself comes first
}

// describe returns the layout of struct type t, nil where it has none.
func (tc *typedCompiler) describe(t reflect.Type, class string) *typedBean {
	if b, ok := tc.beans[t]; ok {
		return b
	}
	tc.beans[t] = nil
	own, err := java.ClassesOf(t, tc.opts)
	if err != nil || own.Find(class) == nil {
		return nil
	}
	bean, err := layout.Of(own.Find(class), own.Find)
	if err != nil {
		return nil
	}
	tc.beans[t] = &typedBean{bean, own}
	return tc.beans[t]
}

// bean returns the node of a struct with a class.
func (tc *typedCompiler) bean(t reflect.Type, class string, ctx *layout.Type, fields []java.FieldDesc, keep func(typedNode) typedNode) typedNode {
	as := tc.types.learn(class)
	desc := tc.describe(t, class)
	if desc == nil || as == nil || len(desc.layout.Fields) != len(fields) {
		return keep(tc.assigned(t, ctx))
	}
	bean := desc.layout
	n := &beanNode{typ: t, as: as, bean: bean, ctx: ctx}
	n.binds = ctx != nil && len(ctx.Args) > 0 && bean.Generic()
	keep(n)
	for i := range bean.Fields {
		f := &bean.Fields[i]
		for _, d := range fields {
			if d.Name == f.Name && d.Level == f.Level {
				n.fields = append(n.fields, tc.beanField(t, f, d, desc.classes))
			}
		}
	}
	if len(n.fields) != len(bean.Fields) {
		tc.stuck = true
	}
	return n
}

// withoutVariables returns e with type variables of the class that declares it
// left out: what they stand for says the Go type.
func withoutVariables(e java.TypeExpr, c *java.Class) java.TypeExpr {
	if c.Variable(e) {
		return java.TypeExpr{}
	}
	out := e
	out.Args = nil
	for _, a := range e.Args {
		out.Args = append(out.Args, withoutVariables(a, c))
	}
	return out
}

func (tc *typedCompiler) beanField(t reflect.Type, f *layout.Field, d java.FieldDesc, own *java.Classes) typedField {
	declared := withoutVariables(f.Expr, own.Find(f.Level))
	out := typedField{name: f.Name, offset: offsetOf(t, d.Index)}
	if f.Form == layout.Primitive {
		tc.primitive(&out, f.Class, d.GoType)
		return out
	}
	out.slot = typedSlot{inside: true, node: tc.node(d.GoType, declared, f.Type, true)}
	out.slot.expect = out.slot.node.usual()
	switch {
	case f.Form == layout.Text || f.Form == layout.Known:
		out.slot.class = tc.known(f.Class)
	case f.Type != nil && f.Type.Var != "":
		out.slot.field = f
	}
	if f.Form == layout.Open {
		out.slot.declared = f.Class
		if e := out.slot.expect; e != nil && !tc.types.world.assignable(f.Class, e.name) {
			tc.stuck = true
		}
	}
	named := out.slot.class == nil && out.slot.field == nil && out.slot.expect != nil
	switch out.slot.node.(type) {
	case *textNode:
		if f.Form == layout.Text {
			out.op = opText
		}
	case *timeNode, *decimalNode, *listNode:
		if named {
			out.op = opNamed
		}
	}
	return out
}

// primitive fills in a field of a primitive type.
func (tc *typedCompiler) primitive(f *typedField, class string, t reflect.Type) {
	node := tc.node(t, java.TypeExpr{Class: class}, nil, true)
	wrapper := java.TypeExpr{Class: class}.Boxed().Class
	f.op, f.slot.node, f.slot.class = opPrimitive, node, tc.known(wrapper)
	switch node := node.(type) {
	case *boolNode:
		f.op = opBoolean
	case *intNode:
		switch {
		case class == "int" && (node.kind == reflect.Int32 || node.kind == reflect.Int):
			f.op, f.wide = opInt, node.kind == reflect.Int
		case class == "long" && node.kind == reflect.Int64:
			f.op = opLong
		}
	case *floatNode:
		if class == "double" && node.double {
			f.op = opDouble
		}
	case *charNode:
	default:
		tc.stuck = true
	}
}
