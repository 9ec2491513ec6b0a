package classfile

import (
	"slices"
	"strconv"
	"strings"
)

// Instructions of irregular length.
const (
	opTableSwitch  = 170
	opLookupSwitch = 171
	opWide         = 196
	opIinc         = 132
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

// constantClasses returns the class that each enum constant was made of, read off the code that
// stores it. Constants that no code stores are not in the map.
func (f *File) constantClasses() map[string]string {
	made := map[string]string{}
	own := "L" + slashed(f.Name) + ";"
	for i := range f.Methods {
		m := &f.Methods[i]
		if !m.Access.Is(Static) {
			continue
		}
		f.Follow(m, func(c Call) any {
			if c.Class != f.Name || c.Descriptor != own || len(c.Args) == 0 {
				return nil
			}
			if o, _ := c.Args[0].(*Object); o != nil && made[c.Name] == "" {
				made[c.Name] = o.Class
			}
			return nil
		})
	}
	return made
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
	f.Follow(init, func(c Call) any {
		at, ok := stored[c.Descriptor]
		switch o, _ := c.Receiver.(*Object); {
		case c.Class != f.Name:
			return boxed(c)
		case c.Name == "<init>" && ok && o != nil:
			o.Is = c.Args[at]
		case len(c.Args) == 1 && !c.IsMethod():
			o, _ = c.Args[0].(*Object)
			if o == nil {
				return nil
			}
			switch value := o.Is.(type) {
			case string:
				out[c.Name] = strconv.Quote(value)
			case int64:
				out[c.Name] = strconv.FormatInt(value, 10)
			}
		}
		return nil
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

// boxed returns what Integer.valueOf and its like are given.
func boxed(c Call) any {
	if c.Name == "valueOf" && len(c.Args) == 1 && slices.Contains([]string{"java.lang.Integer", "java.lang.Long", "java.lang.Short", "java.lang.Byte"}, c.Class) {
		return c.Args[0]
	}
	return nil
}

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
	at := -1
	f.Follow(m, func(c Call) any {
		if c.Name != field || c.Class != f.Name || c.IsMethod() || len(c.Args) == 0 {
			return boxed(c)
		}
		at = -1
		if a, ok := c.Args[0].(Argument); ok {
			at = int(a)
		}
		return nil
	})
	return at
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
