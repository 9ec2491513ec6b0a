package classfile

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Call is a call of a method or constructor, or a field that is read or stored, in code that
// [File.Follow] reads. Its values are int64 for booleans and integers of all types, string,
// [ClassValue], [Argument], *[Object], and what visit returned; nil is what is not known.
type Call struct {
	Class, Name, Descriptor string
	Receiver                any      // nil where it is static
	Args                    []any    // a field that is stored has one, a field that is read none
	Types                   []string // the descriptors of what a method takes
	Branch                  bool     // the code may leave it out
}

// IsMethod reports whether it is no field.
func (c Call) IsMethod() bool { return strings.HasPrefix(c.Descriptor, "(") }

// Argument is what the method is called with: 0 is its first argument, -1 is this.
type Argument int

// Object is what the code makes with new, or an array.
type Object struct {
	Class    string // empty for an array
	Elements []any  // what the code stores in an array, in that order
	Is       any    // for visit: what it knows of the object
}

// Bounds of what [File.Follow] keeps.
const (
	maxSlots      = 64  // of stack, variables and an array
	maxBranches   = 256 // that wait for their target
	maxDescriptor = 8 << 10
	maxParameters = 255 // as the JVM has it
)

// Follow reads the code of a method once, from the first instruction to the last, as if each
// branch ran. It calls visit for each call and field; what visit returns, which must be
// comparable, is the value of the call. Where branches come together, values that differ are not
// known. It returns false where it stopped before the end, at code that no compiler writes.
// Time is linear in the size of the class, and no class file makes it fail.
func (f *File) Follow(m *Member, visit func(Call) any) bool {
	r := &follower{file: f, visit: visit, joins: map[int]frame{}, shapes: map[string]shape{}}
	if !r.arguments(m) {
		return false
	}
	c, falls := m.code, true
	for c.err == nil && c.at < len(c.data) {
		at := c.at
		r.join(at, falls)
		op := int(c.data[at])
		skipInstruction(&c, op)
		if c.err != nil {
			return false
		}
		arg := cursor{data: c.data[:c.at], at: at + 1}
		falls = !endsRun(op)
		if !r.step(op, at, &arg) || len(r.stack) > maxSlots || len(r.joins) > maxBranches {
			return false
		}
	}
	return c.err == nil
}

// endsRun reports whether no instruction runs after op but by a jump.
func endsRun(op int) bool { return op == 167 || op >= 169 && op <= 177 || op == 191 || op == 200 }

// frame has what stack and variables hold. Longs and doubles take two slots, as in the JVM; the
// second is nil.
type frame struct{ stack, locals []any }

func (f frame) clone() frame { return frame{slices.Clone(f.stack), slices.Clone(f.locals)} }

// merge makes unknown what differs.
func merge(a, b []any) []any {
	a = a[:min(len(a), len(b))]
	for i := range a {
		if a[i] != b[i] {
			a[i] = nil
		}
	}
	return a
}

type follower struct {
	frame
	file   *File
	visit  func(Call) any
	joins  map[int]frame // by the instruction that a jump leads to
	shapes map[string]shape
}

// shape is what the call of a method takes off the stack and puts there.
type shape struct {
	types  []string
	result int
	ok     bool
}

func width(descriptor string) int {
	switch descriptor {
	case "V":
		return 0
	case "J", "D":
		return 2
	}
	return 1
}

func (r *follower) shape(descriptor string) shape {
	if len(descriptor) > maxDescriptor {
		return shape{}
	}
	s, known := r.shapes[descriptor]
	if at := strings.LastIndexByte(descriptor, ')'); !known && at >= 0 {
		s = shape{types: parameters(descriptor), result: width(descriptor[at+1:])}
		s.ok = len(s.types) <= maxParameters
		r.shapes[descriptor] = s
	}
	return s
}

func (r *follower) arguments(m *Member) bool {
	if !m.Access.Is(Static) {
		r.locals = append(r.locals, Argument(-1))
	}
	s := r.shape(m.Descriptor)
	for i, p := range s.types {
		r.locals = append(r.locals, Argument(i))
		if width(p) == 2 {
			r.locals = append(r.locals, nil)
		}
	}
	return s.ok
}

// join is told that the instruction at an offset is next, and whether the one before runs on to it.
func (r *follower) join(at int, falls bool) {
	s, jumped := r.joins[at]
	delete(r.joins, at)
	switch {
	case jumped && falls:
		r.stack, r.locals = merge(r.stack, s.stack), merge(r.locals, s.locals)
	case jumped:
		r.frame = s
	case !falls:
		r.stack = []any{nil} // what handles an exception begins with it
	}
}

// jump notes that the code may go on at a target. Those further up have been read already.
func (r *follower) jump(from, offset int) {
	to := from + offset
	if s, ok := r.joins[to]; ok {
		r.joins[to] = frame{merge(s.stack, r.stack), merge(s.locals, r.locals)}
	} else if offset > 0 {
		r.joins[to] = r.clone()
	}
}

func (r *follower) push(v any, width int) {
	if width > 0 {
		r.stack = append(r.stack, v)
	}
	if width > 1 {
		r.stack = append(r.stack, nil)
	}
}

// pop takes n slots off the stack, and returns what the lowest holds.
func (r *follower) pop(n int) any {
	at := max(len(r.stack)-n, 0)
	if at == len(r.stack) {
		return nil
	}
	v := r.stack[at]
	r.stack = r.stack[:at]
	return v
}

// step follows one instruction. It returns false where it cannot.
func (r *follower) step(op, at int, arg *cursor) bool {
	switch {
	case op >= 2 && op <= 8: // iconst
		r.push(int64(op-3), 1)
	case op == 9 || op == 10: // lconst
		r.push(int64(op-9), 2)
	case op == 16: // bipush
		r.push(int64(int8(arg.u1())), 1)
	case op == 17: // sipush
		r.push(int64(int16(arg.u2())), 1)
	case op == 18: // ldc
		r.push(r.file.pool.literal(arg.u1()), 1)
	case op == 19 || op == 20: // ldc_w, ldc2_w
		r.push(r.file.pool.literal(arg.u2()), op-18)
	case op >= 21 && op <= 25 || op >= 54 && op <= 58 || op == opIinc: // load, store
		r.variable(op, arg.u1())
	case op >= 26 && op <= 45: // load_0 to load_3
		r.variable(21+(op-26)/4, (op-26)%4)
	case op >= 59 && op <= 78: // store_0 to store_3
		r.variable(54+(op-59)/4, (op-59)%4)
	case op == opWide:
		r.variable(arg.u1(), arg.u2())
	case op == 83: // aastore
		v := r.pop(1)
		r.pop(1) // the index
		if o, _ := r.pop(1).(*Object); o != nil && len(o.Elements) < maxSlots {
			o.Elements = append(o.Elements, v)
		}
	case op >= 89 && op <= 95:
		r.shuffle(op)
	case op == 187: // new
		var probe cursor
		r.push(&Object{Class: r.file.pool.class(&probe, arg.u2())}, 1)
	case op == 189: // anewarray
		r.pop(1)
		r.push(&Object{}, 1)
	case op == 192: // checkcast
	case op >= 178 && op <= 186:
		return r.member(op, arg)
	case op == 197: // multianewarray
		r.pop(int(arg.data[arg.at+2]))
		r.push(nil, 1)
	case op >= 153 && op <= 167 || op == 198 || op == 199: // jumps
		r.pop(int(effects[op][0]))
		r.jump(at, int(int16(arg.u2())))
	case op == 200: // goto_w
		r.jump(at, int(int32(arg.u4())))
	case op == opTableSwitch || op == opLookupSwitch:
		r.pop(1)
		return r.choose(op, at, arg)
	case op == 168 || op == 169 || op == 201: // jsr and ret, of before Java 6
		return false
	default:
		r.pop(int(effects[op][0]))
		r.push(nil, int(effects[op][1]))
	}
	return true
}

// effects are the slots that an instruction takes off the stack, and that it puts there.
var effects = makeEffects()

func makeEffects() (t [256][2]byte) {
	for _, e := range [][4]int{
		{1, 1, 0, 1},
		{11, 13, 0, 1},
		{14, 15, 0, 2}, // null, fconst, dconst
		{46, 53, 2, 1},
		{47, 47, 2, 2},
		{49, 49, 2, 2}, // elements of arrays
		{79, 86, 3, 0},
		{80, 80, 4, 0},
		{82, 82, 4, 0},
		{87, 87, 1, 0},
		{88, 88, 2, 0}, // pop
		{116, 116, 1, 1},
		{117, 117, 2, 2},
		{118, 118, 1, 1},
		{119, 119, 2, 2}, // neg
		{120, 120, 2, 1},
		{121, 121, 3, 2},
		{122, 122, 2, 1},
		{123, 123, 3, 2},
		{124, 124, 2, 1},
		{125, 125, 3, 2}, // shifts
		{133, 133, 1, 2},
		{134, 134, 1, 1},
		{135, 135, 1, 2},
		{136, 137, 2, 1},
		{138, 138, 2, 2}, // conversions
		{139, 139, 1, 1},
		{140, 141, 1, 2},
		{142, 142, 2, 1},
		{143, 143, 2, 2},
		{144, 144, 2, 1},
		{145, 147, 1, 1},
		{148, 148, 4, 1},
		{149, 150, 2, 1},
		{151, 152, 4, 1}, // comparisons
		{153, 158, 1, 0},
		{159, 166, 2, 0},
		{198, 199, 1, 0}, // jumps
		{188, 188, 1, 1},
		{190, 190, 1, 1},
		{193, 193, 1, 1},
		{194, 195, 1, 0},
	} {
		for op := e[0]; op <= e[1]; op++ {
			t[op] = [2]byte{byte(e[2]), byte(e[3])}
		}
	}
	for op := 96; op <= 131; op++ {
		if op < 116 || op >= 126 { // arithmetic of int, long, float and double in turn; and, or, xor of int and long
			t[op] = [2]byte{byte(2 + 2*(op%2)), byte(1 + op%2)}
		}
	}
	return t
}

// variable follows a load or store, of long or double where its place among them is odd.
func (r *follower) variable(op, i int) {
	switch {
	case op == opIinc:
		r.store(i, nil)
	case op < 54:
		var v any
		if i < len(r.locals) {
			v = r.locals[i]
		}
		r.push(v, 1+(op-21)%2)
	default:
		r.store(i, r.pop(1+(op-54)%2))
	}
}

func (r *follower) store(i int, v any) {
	for len(r.locals) <= i && i < maxSlots {
		r.locals = append(r.locals, nil)
	}
	if i < len(r.locals) {
		r.locals[i] = v
	}
}

// shuffle follows dup and its like: as many slots as of says are put below as many as under says.
func (r *follower) shuffle(op int) {
	n := len(r.stack)
	of, under := 1+(op-89)/3, (op-89)%3
	switch {
	case op == 95 && n >= 2: // swap
		r.stack[n-1], r.stack[n-2] = r.stack[n-2], r.stack[n-1]
	case op < 95 && n >= of+under:
		r.stack = slices.Insert(r.stack, n-of-under, slices.Clone(r.stack[n-of:])...)
	}
}

// member follows a call, or a field.
func (r *follower) member(op int, arg *cursor) bool {
	var c Call
	index := arg.u2()
	c.Class, c.Name, c.Descriptor = r.file.pool.called(index)
	static := op == 178 || op == 179 || op == 184 || op == 186
	s := shape{types: []string{c.Descriptor}} // of a field that is stored
	if c.IsMethod() {
		if s = r.shape(c.Descriptor); !s.ok {
			return false
		}
		c.Types = s.types
	} else if op == 178 || op == 180 { // getstatic, getfield
		s = shape{result: width(c.Descriptor)}
	}
	c.Args = make([]any, len(s.types))
	for i := len(s.types) - 1; i >= 0; i-- {
		c.Args[i] = r.pop(width(s.types[i]))
	}
	if !static {
		c.Receiver = r.pop(1)
	}
	c.Branch = len(r.joins) > 0
	r.push(r.visit(c), s.result)
	return true
}

// choose follows a switch.
func (r *follower) choose(op, at int, arg *cursor) bool {
	arg.bytes((4 - arg.at%4) % 4)
	r.jump(at, int(int32(arg.u4())))
	if op == opTableSwitch {
		arg.bytes(8)
	} else {
		arg.bytes(4)
	}
	for arg.err == nil && arg.at < len(arg.data) && len(r.joins) <= maxBranches {
		if op == opLookupSwitch {
			arg.bytes(4)
		}
		r.jump(at, int(int32(arg.u4())))
	}
	return arg.err == nil
}

// called returns class, name and descriptor of an entry for a field or a call, as far as it has them.
func (p *pool) called(i int) (class, name, descriptor string) {
	if i <= 0 || i >= len(p.offsets) || p.offsets[i] == 0 {
		return "", "", ""
	}
	var c, noClass cursor
	b := p.data[p.offsets[i]:]
	if tag := int(b[0]); tag == tagField || tag == tagMethod || tag == tagInterface {
		class = p.class(&noClass, int(binary.BigEndian.Uint16(b[1:]))) // clone() is called on the class of an array
	} else if tag != tagDynamic {
		return "", "", ""
	}
	if b = p.entry(&c, int(binary.BigEndian.Uint16(b[3:])), tagNameAndType); b == nil {
		return "", "", ""
	}
	return class, p.text(&c, int(binary.BigEndian.Uint16(b))), p.text(&c, int(binary.BigEndian.Uint16(b[2:])))
}
