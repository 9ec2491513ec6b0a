package kryo5

import (
	"reflect"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5/internal/layout"
)

// structure returns the node of a struct without a class, nil where it has none.
func (tc *typedCompiler) structure(d *java.Node, ctx *layout.Type, keep func(typedNode) typedNode) typedNode {
	if d.Class != java.ClassHashMap || len(d.Fields) > 64 {
		return nil
	}
	n := &structNode{typ: d.Go, byName: map[string]int{}}
	keep(n)
	tc.entries(&n.entrySlots, java.ClassHashMap, ctx)
	names := make([]string, len(d.Fields))
	omits := false
	for i, f := range d.Fields {
		n.byName[f.Name] = i
		names[i] = f.Name
		omits = omits || f.OmitEmpty
		wire, ok := appendString([]byte{idString}, f.Name)
		if !ok {
			tc.stuck = true
		}
		slot := typedSlot{node: tc.node(f.Node, nil, true), inside: true}
		slot.expect = slot.node.usual()
		n.fields = append(n.fields, entryField{name: f.Name, wire: wire, offset: f.Offset, slot: slot})
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

// bean returns the node of a struct with a class, nil where it has none.
func (tc *typedCompiler) bean(d *java.Node, ctx *layout.Type, keep func(typedNode) typedNode) typedNode {
	as := tc.types.learn(d.Class)
	desc := tc.describe(d.Go, d.Class)
	if desc == nil || as == nil || len(desc.layout.Fields) != len(d.Fields) {
		return nil
	}
	bean := desc.layout
	n := &beanNode{typ: d.Go, as: as, bean: bean, ctx: ctx}
	n.binds = ctx != nil && len(ctx.Args) > 0 && bean.Generic()
	keep(n)
	for i := range bean.Fields {
		f := &bean.Fields[i]
		for _, own := range d.Fields {
			if own.Name == f.Name && own.Level == f.Level {
				n.fields = append(n.fields, tc.beanField(f, own, desc.classes.Find(f.Level)))
			}
		}
	}
	if len(n.fields) != len(bean.Fields) {
		tc.stuck = true
	}
	return n
}

func (tc *typedCompiler) beanField(f *layout.Field, d java.NodeField, level *java.Class) typedField {
	out := typedField{name: f.Name, offset: d.Offset}
	if f.Form == layout.Primitive {
		tc.primitive(&out, f.Class, d.Node)
		return out
	}
	out.slot = typedSlot{inside: true}
	if f.Expr.Dims > 0 && level.Variable(f.Expr) {
		out.slot.node = tc.assigned(d.Go, f.Type) // the arguments of its class decide on the array
	} else {
		out.slot.node = tc.node(d.Node, f.Type, true)
	}
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
func (tc *typedCompiler) primitive(f *typedField, class string, d *java.Node) {
	node := tc.node(d, nil, true)
	wrapper := java.TypeExpr{Class: class}.Boxed().Class
	f.op, f.slot.node, f.slot.class = opPrimitive, node, tc.known(wrapper)
	if d.Class != wrapper {
		tc.stuck = true
	}
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
