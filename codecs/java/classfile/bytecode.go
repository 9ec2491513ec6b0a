package classfile

import (
	"strconv"
	"strings"
)

// Instructions that matter here, and those of irregular length.
const (
	opPutStatic     = 179
	opInvokeSpecial = 183
	opTableSwitch   = 170
	opLookupSwitch  = 171
	opWide          = 196
	opIinc          = 132
)

// opLengths are the bytes of each instruction with its operands; 0 for
// switches, wide and what is no instruction. JVM specification 6.5.
var opLengths = makeLengths()

func makeLengths() (t [256]byte) {
	set := func(from, to int, length byte) {
		for op := from; op <= to; op++ {
			t[op] = length
		}
	}
	set(0, 201, 1)
	set(16, 16, 2)   // bipush
	set(17, 17, 3)   // sipush
	set(18, 18, 2)   // ldc
	set(19, 20, 3)   // ldc_w, ldc2_w
	set(21, 25, 2)   // loads
	set(54, 58, 2)   // stores
	set(132, 132, 3) // iinc
	set(153, 168, 3) // jumps
	set(169, 169, 2) // ret
	set(opTableSwitch, opLookupSwitch, 0)
	set(178, 184, 3) // fields and methods
	set(185, 186, 5) // invokeinterface, invokedynamic
	set(187, 187, 3) // new
	set(188, 188, 2) // newarray
	set(189, 189, 3) // anewarray
	set(192, 193, 3) // checkcast, instanceof
	set(opWide, opWide, 0)
	set(197, 197, 4) // multianewarray
	set(198, 199, 3) // ifnull, ifnonnull
	set(200, 201, 5) // goto_w, jsr_w
	return t
}

// constantClasses returns the class that each enum constant was made of, read off
// the code that stores it: the last constructor called before a constant is put
// is that of its own class. Constants that no code stores are not in the map.
func (f *File) constantClasses() map[string]string {
	made := map[string]string{}
	own := "L" + slashed(f.Name) + ";"
	for _, m := range f.Methods {
		if !m.Access.Is(Static) || m.code.data == nil {
			continue
		}
		last := ""
		c := m.code
		for c.err == nil && c.at < len(c.data) {
			switch op := int(c.data[c.at]); op {
			case opInvokeSpecial, opPutStatic:
				c.u1()
				index := c.u2()
				last = f.follow(&c, op, index, last, own, made)
			default:
				skipInstruction(&c, op)
			}
		}
	}
	return made
}

// follow takes note of one call of a constructor or one stored constant.
func (f *File) follow(c *cursor, op, index int, last, own string, made map[string]string) string {
	var probe cursor // a call of an interface's method is no mistake here
	if op == opInvokeSpecial {
		if class, name, _ := f.pool.member(&probe, index, tagMethod); probe.err == nil && name == "<init>" {
			return class
		}
		return last
	}
	class, name, descriptor := f.pool.member(c, index, tagField)
	if class == f.Name && descriptor == own && last != "" {
		if _, stored := made[name]; !stored {
			made[name] = last
		}
	}
	return last
}

// constantJSON returns what @JsonValue or @JsonProperty makes of the enum constants, as java.Constant
// has it. @JsonValue is read off the code that makes the constants: those for which it is no
// literal are not in the map.
func (f *File) constantJSON() map[string]string {
	out := map[string]string{}
	field := f.valueField()
	for i := range f.Fields {
		m := &f.Fields[i]
		if a := m.Annotations.Jackson("JsonProperty"); field == "" && m.Access.Is(Enum|Static) && a != nil && a.Text("value") != "" {
			out[m.Name] = strconv.Quote(a.Text("value"))
		}
	}
	init := f.Method("<clinit>")
	if field == "" || init == nil {
		return out
	}
	stored := map[string]int{} // by the descriptor of a constructor: which argument the field gets
	for i := range f.Methods {
		if m := &f.Methods[i]; m.Name == "<init>" {
			if at := f.argumentOf(m, field); at >= 0 {
				stored[m.Descriptor] = at
			}
		}
	}
	f.run(init, func(stack []any, class, descriptor string) any {
		at, ok := stored[descriptor]
		n := len(parameters(descriptor))
		if !ok || class != f.Name || at >= n || n > len(stack) {
			return nil
		}
		return made{stack[len(stack)-n+at]}
	}, func(name string, v any) {
		switch m, _ := v.(made); value := m.value.(type) {
		case string:
			out[name] = strconv.Quote(value)
		case int64:
			out[name] = strconv.FormatInt(value, 10)
		}
	})
	seen := map[string]bool{}
	for _, text := range out {
		if seen[text] {
			return nil // no constant can be told from it
		}
		seen[text] = true
	}
	return out
}

// made is a constant with the argument that matters.
type made struct{ value any }

// valueField returns the field that is what @JsonValue says, "" where there is none or a method
// does more than return it.
func (f *File) valueField() string {
	for i := range f.Fields {
		if f.Fields[i].Annotations.Jackson("JsonValue") != nil {
			return f.Fields[i].Name
		}
	}
	for i := range f.Methods {
		if m := &f.Methods[i]; m.Annotations.Jackson("JsonValue") != nil {
			return f.returned(m)
		}
	}
	return ""
}

// argumentOf returns which argument a constructor stores in a field, -1 where it stores something
// else.
func (f *File) argumentOf(m *Member, field string) int {
	const putField = 181
	c, local := m.code, -1
	for c.err == nil && c.at < len(c.data) {
		op := int(c.data[c.at])
		switch {
		case op >= 21 && op <= 25: // iload to aload
			c.u1()
			local = c.u1()
		case op >= 26 && op <= 45 && op != 42: // iload_0 to aload_3, but this
			c.u1()
			local = (op - 26) % 4
		case op == putField:
			c.u1()
			if _, name, _ := f.pool.member(&c, c.u2(), tagField); name == field {
				return argumentAt(m.Descriptor, local)
			}
		default:
			skipInstruction(&c, op)
		}
	}
	return -1
}

// argumentAt returns the index of the argument in a local variable, of which longs and doubles
// take two; the first is this.
func argumentAt(descriptor string, local int) int {
	at := 1
	for i, p := range parameters(descriptor) {
		if at == local {
			return i
		}
		if at++; p == "J" || p == "D" {
			at++
		}
	}
	return -1
}

// parameters returns the descriptors of the parameters of a method.
func parameters(descriptor string) (list []string) {
	rest, _, _ := strings.Cut(strings.TrimPrefix(descriptor, "("), ")")
	for rest != "" {
		n := len(rest) - len(strings.TrimLeft(rest, "["))
		if n++; n <= len(rest) && rest[n-1] == 'L' {
			n = strings.IndexByte(rest, ';') + 1
		}
		n = min(max(n, 1), len(rest))
		list, rest = append(list, rest[:n]), rest[n:]
	}
	return list
}

// run follows the literals that the code of an initializer puts on the stack, up to its first jump.
// Construct is asked for what a constructor makes, store is told what becomes of a static field.
func (f *File) run(m *Member, construct func(stack []any, class, descriptor string) any, store func(name string, v any)) {
	const maxStack = 1 << 10
	var stack []any
	pop := func(n int) {
		stack = stack[:max(len(stack)-n, 0)]
	}
	c := m.code
	for c.err == nil && c.at < len(c.data) && len(stack) < maxStack {
		op := int(c.data[c.at])
		at := c.at
		skipInstruction(&c, op)
		if c.err != nil {
			return
		}
		arg := cursor{data: c.data[:c.at], at: at + 1}
		switch {
		case op >= 2 && op <= 8: // iconst
			stack = append(stack, int64(op-3))
		case op == 9 || op == 10: // lconst
			stack = append(stack, int64(op-9))
		case op == 16: // bipush
			stack = append(stack, int64(int8(arg.u1())))
		case op == 17: // sipush
			stack = append(stack, int64(int16(arg.u2())))
		case op == 18: // ldc
			stack = append(stack, f.pool.literal(arg.u1()))
		case op == 19 || op == 20:
			stack = append(stack, f.pool.literal(arg.u2()))
		case op == 1, op >= 11 && op <= 15, op == 178, op == 187: // null, floats, getstatic, new
			stack = append(stack, nil)
		case op == 89: // dup
			stack = append(stack, nil)
		case op == opPutStatic:
			if _, name, _ := f.pool.member(&arg, arg.u2(), tagField); arg.err == nil && len(stack) > 0 {
				store(name, stack[len(stack)-1])
			}
			pop(1)
		case op == opInvokeSpecial:
			class, _, descriptor := f.pool.member(&arg, arg.u2(), tagMethod)
			v := construct(stack, class, descriptor)
			pop(len(parameters(descriptor)) + 2)
			stack = append(stack, v)
		case op == 184: // invokestatic: Integer.valueOf keeps what it is given
			if _, name, _ := f.pool.member(&arg, arg.u2(), tagMethod); name != "valueOf" {
				return
			}
		default:
			return
		}
	}
}

func skipInstruction(c *cursor, op int) {
	start := c.at
	switch {
	case opLengths[op] > 0:
		c.bytes(int(opLengths[op]))
	case op == opWide:
		c.u1()
		if c.u1() == opIinc {
			c.u2()
		}
		c.u2()
	case op == opTableSwitch, op == opLookupSwitch:
		c.bytes(4 - start%4) // the instruction and what aligns its operands
		c.u4()
		n := c.u4()
		if op == opLookupSwitch {
			c.bytes(8 * n)
			return
		}
		c.bytes(4 * (int(int32(c.u4())) - int(int32(n)) + 1))
	default:
		c.fail(c.offset(), "%d is no instruction", op)
	}
}
