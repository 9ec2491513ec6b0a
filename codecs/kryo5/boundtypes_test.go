package kryo5

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// The Go twins of the classes in integration/java/src/vectors/kryo5/Typed.java.

type typedColor string

func (typedColor) JavaClass() string { return "enum Typed$Color {RED, GREEN, BLUE}" }

type typedOpEnum int

func (typedOpEnum) JavaClass() string { return "enum Typed$Op {ADD{Typed$Op$1}, SUB{Typed$Op$2}}" }

type typedPrims struct {
	Z bool
	B int8
	C java.Char
	S int16
	I int32
	L int64
	F float32
	D float64
}

func (typedPrims) JavaClass() string { return "Typed$Prims" }

type typedBoxed struct {
	Z    *bool
	B    *int8
	C    *java.Char
	S    *int16
	I    *int32
	L    *int64
	F    *float32
	D    *float64
	Nul  *int32
	Str  string
	Nstr *string `java:"nstr"`
}

func (typedBoxed) JavaClass() string { return "Typed$Boxed" }

type typedPar struct {
	A    int32
	Z    string
	Same int32
}

func (typedPar) JavaClass() string { return "Typed$Par" }

type typedChild struct {
	typedPar
	B          int
	Same       int64
	A1         int32 `java:"A1"`
	Underscore int32 `java:"_u"`
	Dollar     int32 `java:"$d"`
}

func (typedChild) JavaClass() string { return "Typed$Child extends Typed$Par" }

type typedInner struct{ V int32 }

func (typedInner) JavaClass() string { return "Typed$Inner" }

type typedSealed struct{ V int32 }

func (typedSealed) JavaClass() string { return "final Typed$Sealed" }

type typedBox[T any] struct {
	Value T   `java:"value,T"`
	List  []T `java:"list,java.util.List<T>"`
}

func (typedBox[T]) JavaClass() string { return "Typed$Box<T>" }

type typedStrBox struct {
	typedBox[string]
	Extra int32
}

func (typedStrBox) JavaClass() string { return "Typed$StrBox extends Typed$Box<java.lang.String>" }

type typedPair[A, B any] struct {
	A A `java:"a,A"`
	B B `java:"b,B"`
}

func (typedPair[A, B]) JavaClass() string { return "Typed$Pair<A,B>" }

type typedOuter[X any] struct {
	P *typedPair[X, string] `java:"p,Typed$Pair<X,java.lang.String>"`
}

func (typedOuter[X]) JavaClass() string { return "Typed$Outer<X>" }

type typedRes[T any] struct {
	Code int32
	Msg  string
	Data T `java:"data,T"`
}

func (typedRes[T]) JavaClass() string { return "Typed$Res<T>" }

type typedTree[T any] struct {
	Left *typedTree[T] `java:"left,Typed$Tree<T>"`
	V    T             `java:"v,T"`
}

func (typedTree[T]) JavaClass() string { return "Typed$Tree<T>" }

type typedSup[A any] struct {
	A  A   `java:"a,A"`
	La []A `java:"la,java.util.List<A>"`
}

func (typedSup[A]) JavaClass() string { return "Typed$Sup<A>" }

type typedSub[B any] struct {
	typedSup[B]
	B B            `java:"b,B"`
	M map[string]B `java:"m,java.util.Map<java.lang.String,B>"`
}

func (typedSub[B]) JavaClass() string { return "Typed$Sub<B> extends Typed$Sup<B>" }

type typedNodeBean struct {
	N    *string
	Next *typedNodeBean
	Kids []*typedNodeBean
}

func (typedNodeBean) JavaClass() string { return "Typed$Node" }

type typedRec struct {
	Zed   int32
	Name  string
	Tags  []string
	Boxed *int32
	Any   any
	Big   int64
	Col   typedColor
}

func (typedRec) JavaClass() string { return "record Typed$Rec" }

type typedLists struct {
	Ls    []string
	Li    []*int32
	Lo    []any
	Lls   [][]string
	Lin   []typedInner
	Lse   []typedSealed
	Empty []string
	Nul   []string
	Ll    []int64
	Ld    []float64
	Lb    []bool
	Ldt   []time.Time
	Nulls []*typedInner
	Lc    []typedColor
	Lop   []typedOpEnum
	Lm    []map[string]string
	Bytes []byte
}

func (typedLists) JavaClass() string { return "Typed$Lists" }

type typedMaps struct {
	Msi   map[string]int32
	Mso   map[string]any
	Msl   map[string][]int64
	Mss   map[string]string
	Min   map[string]*typedInner
	Mse   map[string]typedSealed
	Mm    map[string]map[string]int32
	Nul   map[string]string
	Plain struct {
		ID string `java:"orderId"`
	} `java:"plain,java.util.Map<java.lang.String,java.lang.Object>"`
}

func (typedMaps) JavaClass() string { return "Typed$Maps" }

type typedGenerics struct {
	Bs  typedBox[string]
	Bi  *typedBox[int32]
	Sb  typedStrBox
	Lbs []typedBox[string]
	P   typedPair[string, int32]
	Rl  typedRes[[]string]
	Ri  typedRes[*typedInner]
	T   *typedTree[int32]
	S   typedSub[int64]
	O   typedOuter[int32]
	Rb  typedRes[typedBox[string]] `java:"rb,Typed$Res<Typed$Box<java.lang.String>>"`
}

func (typedGenerics) JavaClass() string { return "Typed$Generics" }

type typedTimes struct {
	Date    time.Time
	Early   *time.Time
	Nul     time.Time
	Stamp   time.Time `java:"ts,java.sql.Timestamp"`
	Instant time.Time `java:"instant,java.time.Instant"`
	Day     java.LocalDate
	Wall    java.LocalDateTime
	Took    java.Duration
}

func (typedTimes) JavaClass() string { return "Typed$Times" }

type typedNumbers struct {
	One, Minus, Zero, Huge, Least java.BigDecimal
	Nul                           *java.BigDecimal
	Whole                         *big.Int
}

func (typedNumbers) JavaClass() string { return "Typed$Numbers" }

type typedEnums struct {
	C   typedColor
	Nul *typedColor
	Op  typedOpEnum
	Any any
}

func (typedEnums) JavaClass() string { return "Typed$Enums" }

type typedWide struct {
	Ia  []int32       `java:"ia,int[]"`
	Sa  []*string     `java:"sa,java.lang.String[]"`
	Ins []*typedInner `java:"ins,Typed$Inner[]"`
	Big int64
	Neg int32
}

func (typedWide) JavaClass() string { return "Typed$Wide" }

// benchOrder is the bean that benchmarks of every codec carry.
type benchOrder struct {
	ID       string          `java:"orderId"`
	Customer string          `java:"customer"`
	Remark   string          `java:"remark"`
	Cents    int64           `java:"amountCents"`
	Quantity int32           `java:"quantity"`
	Discount *int32          `java:"discount"`
	Paid     bool            `java:"paid"`
	Created  time.Time       `java:"createdAt"`
	Total    java.BigDecimal `java:"total"`
	Tags     []string        `java:"tags"`
}

func (benchOrder) JavaClass() string { return "duequeue.bench.Order" }
