package databind_test

import (
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

// Color is an enum by names.
type Color string

// JavaClass declares it.
func (Color) JavaClass() string { return "enum demo.Color {RED, GREEN, BLUE}" }

// Level is an enum by ordinals.
type Level int8

// JavaClass declares it.
func (Level) JavaClass() string { return "enum demo.Level {LOW, HIGH}" }

// Op is an enum whose constants have bodies.
type Op int32

// JavaClass declares it.
func (Op) JavaClass() string { return "enum demo.Op {ADD{demo.Op$1}, SUB{demo.Op$2}}" }

// Base is a superclass.
type Base struct {
	ID   int64  `java:"id"`
	Name string `java:"name"`
}

// JavaClass names it.
func (Base) JavaClass() string { return "demo.Base" }

// Item is a nested bean.
type Item struct {
	SKU   string          `java:"sku"`
	Count int32           `java:"count"`
	Price java.BigDecimal `java:"price"`
}

// JavaClass names it.
func (Item) JavaClass() string { return "demo.Item" }

// Point is a record.
type Point struct {
	Y int32  `java:"y"`
	X *int64 `java:"x"`
}

// JavaClass names it.
func (Point) JavaClass() string { return "record demo.Point" }

// Sealed is a final class.
type Sealed struct {
	Value string `java:"value"`
	When  time.Time
}

// JavaClass names it.
func (Sealed) JavaClass() string { return "final demo.Sealed" }

// Scalars has a field of every scalar.
type Scalars struct {
	Base
	Bool     bool
	BoolRef  *bool
	Byte     int8
	ByteRef  *int8
	Short    int16
	ShortRef *int16
	Int      int32
	IntRef   *int32
	Wide     int
	Long     int64
	LongRef  *int64
	Half     uint8
	Word     uint16
	Dword    uint32
	Float    float32
	FloatRef *float32
	Double   float64
	DblRef   *float64
	Text     string
	TextRef  *string
	Color    Color
	Level    Level
	LevelRef *Level
	Op       Op
	Ops      []Op
	Narrow   int64 `java:"narrow,int"`
	Boxed    int64 `java:"boxed,java.lang.Long"`
	Number   int64 `java:"number,java.lang.Number"`
	Object   int64 `java:"object,java.lang.Object"`
}

// JavaClass names it.
func (Scalars) JavaClass() string { return "demo.Scalars extends demo.Base" }

// Values has a field of every value that is no scalar of Go.
type Values struct {
	Day     time.Time
	SQL     time.Time  `java:"sql,java.sql.Date"`
	DayRef  *time.Time `java:"dayRef"`
	Price   java.BigDecimal
	PriceAt *java.BigDecimal
	Big     *big.Int
	Blob    []byte
	UUID    java.UUID
	UUIDRef *java.UUID
	Any     any
	Char    java.Char
}

// JavaClass names it.
func (Values) JavaClass() string { return "demo.Values" }

// Lists has lists, sets and arrays.
type Lists struct {
	Texts   []string
	Longs   []int64
	Ints    []int32
	Doubles []float64
	Days    []time.Time
	Prices  []java.BigDecimal
	Refs    []*int32
	Items   []Item
	ItemRef []*Item
	Finals  []Sealed
	Records []Point
	Colors  []Color
	Blobs   [][]byte
	Nested  [][]string
	Anys    []any
	Raw     []any       `java:"raw,java.util.List"`
	Linked  []string    `java:"linked,java.util.LinkedList<java.lang.String>"`
	Set     []string    `java:"set,java.util.Set<java.lang.String>"`
	IntArr  []int32     `java:"intArr,int[]"`
	LongArr []int64     `java:"longArr,long[]"`
	TextArr []string    `java:"textArr,java.lang.String[]"`
	UUIDs   []java.UUID `java:"uuids"`
	Maps    []map[string]string
}

// JavaClass names it.
func (Lists) JavaClass() string { return "demo.Lists" }

// Maps has maps and structs that are maps.
type Maps struct {
	Texts  map[string]string
	Longs  map[string]int64
	Ints   map[string]int32
	Items  map[string]Item
	Refs   map[string]*Item
	Finals map[string]Sealed
	Lists  map[string][]int64
	Anys   map[string]any
	Raw    map[string]any `java:"raw,java.util.Map"`
	Deep   map[string]map[string]Color
	Open   Plain
	Ref    *Plain
}

// JavaClass names it.
func (Maps) JavaClass() string { return "demo.Maps" }

// Plain is a struct without a class.
type Plain struct {
	OrderID string    `java:"orderId"`
	Amount  int64     `java:"amount"`
	Count   int32     `java:"count"`
	Rate    float64   `java:"rate"`
	Due     time.Time `java:"due"`
	Item    *Item     `java:"item"`
	Tags    []string  `java:"tags"`
	Any     any       `java:"any"`
	Some    *Some     `java:"some"`
}

// Some leaves out what is empty.
type Some struct {
	A string   `java:"a,omitempty"`
	B *int64   `java:"b"`
	C []string `java:"c,omitempty"`
	D bool     `java:"d,omitempty"`
}

// Node is a class that contains itself.
type Node struct {
	Left  *Node
	Right *Node
	Kids  []*Node
	Item  Item
	Pair  Point
	Seal  *Sealed
}

// JavaClass names it.
func (Node) JavaClass() string { return "demo.Node" }

// Box is generic.
type Box[T any] struct {
	Data T   `java:"data,T"`
	All  []T `java:"all,java.util.List<T>"`
}

// JavaClass names it.
func (Box[T]) JavaClass() string { return "demo.Box<T>" }

// Shape is an interface that registered types implement.
type Shape interface{ Area() float64 }

// Circle is registered as a struct.
type Circle struct{ R float64 }

// Area implements Shape.
func (c Circle) Area() float64 { return c.R }

// Square is registered by its pointer.
type Square struct {
	Side  int64
	Inner Shape
}

// Area implements Shape.
func (s *Square) Area() float64 { return float64(s.Side) }

// Shapes has fields that hold what is registered.
type Shapes struct {
	One    Shape
	All    []Shape
	ByName map[string]Shape
	Any    any
	Anys   []any
	Named  map[string]any
	Circle *Circle
	Name   string
}

// JavaClass names it.
func (Shapes) JavaClass() string { return "demo.Shapes" }

// Other has fields that are declared as something else than what their Go types stand
// for.
type Other struct {
	Name Color          `java:"name,java.lang.String"`
	Day  Color          `java:"day,java.time.Instant"`
	Date *Maps          `java:"date,java.time.LocalDate"`
	Held *string        `java:"held,java.util.concurrent.atomic.AtomicReference<java.lang.String>"`
	Map  map[string]any `java:"map,java.lang.Object"`
	Open *Plain         `java:"open,java.lang.Object"`
	Ref  java.ClassRef  `java:"ref,java.util.concurrent.atomic.AtomicReference<java.lang.Class>"`
}

// JavaClass names it.
func (Other) JavaClass() string { return "demo.Other" }

// Hider has a field that hides one of its superclass, and optional ones.
type Hider struct {
	Base
	Own  []int32    `java:"name"`
	Nil  *int16     `java:"nil,long"`
	UUID *java.UUID `java:"uuid,java.util.concurrent.atomic.AtomicReference<java.util.UUID>"`
	When time.Time  `java:"when,java.util.concurrent.atomic.AtomicReference<java.util.Date>"`
}

// JavaClass names it.
func (Hider) JavaClass() string { return "demo.Hider extends demo.Base" }

// options returns what a declaration adds to a type.
func options(t reflect.Type) codecs.BindOptions {
	if t != reflect.TypeFor[Shapes]() && t != reflect.TypeFor[map[string]Shape]() {
		return codecs.BindOptions{}
	}
	return codecs.BindOptions{Classes: map[reflect.Type]string{
		reflect.TypeFor[Circle](): "demo.Circle", reflect.TypeFor[*Square](): "final demo.Square",
	}}
}

// Tagged has the flags of tags.
type Tagged struct {
	ID      int64            `java:"id,json=order_id,text"`
	Boxed   *int64           `java:"boxed,text,always"`
	Price   *java.BigDecimal `java:"price,text,omitempty"`
	Double  float64          `java:"double,text"`
	Byte    *int8            `java:"byte,text"`
	Big     *big.Int         `java:"big,text"`
	IDs     []*int64         `java:"ids,text,omitempty"`
	Counts  map[string]int32 `java:"counts,text"`
	Day     time.Time        `java:"day,zone=Asia/Shanghai,format=yyyy-MM-dd HH:mm"`
	Days    []time.Time      `java:"days,format=yyyy/MM/dd HH:mm:ss.SSS"`
	Text    time.Time        `java:"text,text"`
	Zoned   *time.Time       `java:"zoned,text,zone=GMT+8"`
	Number  time.Time        `java:"number,number,omitnull"`
	Local   time.Time        `java:"local,java.time.LocalDateTime,zone=GMT-3,format=dd.MM.yyyy HH:mm:ss"`
	Instant time.Time        `java:"instant,java.time.Instant,zone=UTC,format=yyyy-MM-dd'T'HH:mm:ss.SSSSSSSSSXXX"`
	Color   Color            `java:"color,number"`
	Levels  []Level          `java:"levels,number"`
	Name    string           `java:"name,omitempty"`
	Secret  string           `java:"secret,json=-"`
	Any     any              `java:"any,always"`
}

// JavaClass names it.
func (Tagged) JavaClass() string { return "demo.Tagged" }

// Types are all of them, and containers of them as roots.
var Types = []reflect.Type{
	reflect.TypeFor[Item](), reflect.TypeFor[Point](), reflect.TypeFor[Sealed](), reflect.TypeFor[Scalars](), reflect.TypeFor[Values](),
	reflect.TypeFor[Lists](), reflect.TypeFor[Maps](), reflect.TypeFor[Plain](), reflect.TypeFor[Node](), reflect.TypeFor[*Node](),
	reflect.TypeFor[Box[string]](), reflect.TypeFor[Box[Item]](), reflect.TypeFor[Box[*int64]](),
	reflect.TypeFor[Shapes](), reflect.TypeFor[map[string]Shape](),
	reflect.TypeFor[string](), reflect.TypeFor[[]string](), reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](),
	reflect.TypeFor[map[string]string](), reflect.TypeFor[[]int64](), reflect.TypeFor[[]Item](), reflect.TypeFor[map[string]Item](),
	reflect.TypeFor[[]*Plain](), reflect.TypeFor[map[string][]float64](), reflect.TypeFor[map[string]*time.Time](),
	reflect.TypeFor[Other](), reflect.TypeFor[Hider](), reflect.TypeFor[java.UUID](), reflect.TypeFor[java.BigDecimal](), reflect.TypeFor[*big.Int](),
	reflect.TypeFor[Other](), reflect.TypeFor[Hider](), reflect.TypeFor[Tagged](), reflect.TypeFor[[]Tagged](),
}
