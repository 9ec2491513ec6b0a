package classfile

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
