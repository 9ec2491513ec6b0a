package catalog_test

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
func (Base) JavaClass() string { return "demo.Base serial 1" }

// Item is a nested bean.
type Item struct {
	SKU   string          `java:"sku"`
	Count int32           `java:"count"`
	Price java.BigDecimal `java:"price"`
}

// JavaClass names it.
func (Item) JavaClass() string { return "demo.Item serial 2" }

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
func (Sealed) JavaClass() string { return "final demo.Sealed serial 3" }

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
func (Scalars) JavaClass() string { return "demo.Scalars extends demo.Base serial 4" }

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
func (Values) JavaClass() string { return "demo.Values serial 5" }

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
func (Lists) JavaClass() string { return "demo.Lists serial 6" }

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
func (Maps) JavaClass() string { return "demo.Maps serial 7" }

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

// Node is a bean in a graph.
type Node struct {
	Label  string
	Left   *Node
	Right  *Node
	Kids   []*Node
	Item   Item
	Shared *Item
	Seal   *Sealed
	Refs   []*string
	ByName map[string]*Node
	Any    any
	Rest   map[string]any
}

// JavaClass names it.
func (Node) JavaClass() string { return "demo.Node serial 8" }

// Records has records.
type Records struct {
	Pair Point
	All  []Point
}

// JavaClass names it.
func (Records) JavaClass() string { return "demo.Records serial 11" }

// Box is generic.
type Box[T any] struct {
	Data T   `java:"data,T"`
	All  []T `java:"all,java.util.List<T>"`
}

// JavaClass names it.
func (Box[T]) JavaClass() string { return "demo.Box<T> serial 9" }

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
func (Hider) JavaClass() string { return "demo.Hider extends demo.Base serial 10" }

// Unusual has fields whose Java types are seldom those of a bean.
type Unusual struct {
	Opt   *string           `java:"opt,java.util.Optional<java.lang.String>"`
	OptI  *int32            `java:"opti,java.util.OptionalInt"`
	Atom  int64             `java:"atom,java.util.concurrent.atomic.AtomicLong"`
	Flag  bool              `java:"flag,java.util.concurrent.atomic.AtomicBoolean"`
	Ref   *Item             `java:"ref,java.util.concurrent.atomic.AtomicReference<demo.Item>"`
	Set   []bool            `java:"set,java.util.Set<java.lang.Boolean>"`
	Deque []string          `java:"deque,java.util.Deque<java.lang.String>"`
	Tree  map[string]int32  `java:"tree,java.util.TreeMap<java.lang.String,java.lang.Integer>"`
	Link  map[string]string `java:"link,java.util.LinkedHashMap<java.lang.String,java.lang.String>"`
	Ints  map[int32]string  `java:"ints,java.util.Map<java.lang.Integer,java.lang.String>"`
	Enums map[Color]int32   `java:"enums,java.util.EnumMap<demo.Color,java.lang.Integer>"`
	UU    *java.UUID
	Bytes [16]byte      `java:"uu16,java.util.UUID"`
	Took  time.Duration `java:"took,java.time.Duration"`
	Nanos time.Duration
	Build string `java:"build,java.lang.StringBuilder"`
	Omit  struct {
		A string  `java:"a,omitempty"`
		B []int32 `java:"b,omitempty"`
		C *int32
	}
	Nest map[string]struct {
		X []string
		Y map[string]any
	}
	Deep struct{ K []string } `java:"deep,java.util.Map<java.lang.String,java.util.List<java.lang.String>>"`
	Objs []any                `java:"objs,java.lang.Object[]"`
	Grid [][]int32            `java:"grid,int[][]"`
	Bits []bool               `java:"bits,boolean[]"`
	Sh   int16                `java:"sh,short"`
	Lo   int                  `java:"lo,long"`
	PB   *Box[string]
	List *java.List
	Map  *java.Map
	Face *Base
}

func (Unusual) JavaClass() string { return "demo.Unusual serial 12" }

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

// carriedTypes are carried by all codecs that write beans.
var carriedTypes = []reflect.Type{
	reflect.TypeFor[Item](), reflect.TypeFor[Sealed](), reflect.TypeFor[Scalars](), reflect.TypeFor[*Scalars](), reflect.TypeFor[Values](),
	reflect.TypeFor[Lists](), reflect.TypeFor[Maps](), reflect.TypeFor[Plain](), reflect.TypeFor[Node](), reflect.TypeFor[*Node](),
	reflect.TypeFor[Box[string]](), reflect.TypeFor[Box[Item]](), reflect.TypeFor[Box[*int64]](),
	reflect.TypeFor[string](), reflect.TypeFor[int64](), reflect.TypeFor[float32](), reflect.TypeFor[bool](), reflect.TypeFor[time.Time](),
	reflect.TypeFor[java.UUID](), reflect.TypeFor[java.BigDecimal](), reflect.TypeFor[*big.Int](), reflect.TypeFor[Color](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[]any](), reflect.TypeFor[[]byte](), reflect.TypeFor[[]int64](), reflect.TypeFor[[]Item](),
	reflect.TypeFor[[]*Plain](), reflect.TypeFor[[]uint32](), reflect.TypeFor[[]time.Time](), reflect.TypeFor[[]*java.BigDecimal](), reflect.TypeFor[[]java.LocalDate](),
	reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]string](), reflect.TypeFor[map[string]Item](), reflect.TypeFor[map[int32]string](),
	reflect.TypeFor[map[string][]float64](), reflect.TypeFor[map[string]*time.Time](), reflect.TypeFor[any](),
}

// recordTypes are carried by all of them but River, jacksonTypes by those on Jackson.
var (
	recordTypes  = []reflect.Type{reflect.TypeFor[Point](), reflect.TypeFor[Records]()}
	jacksonTypes = []reflect.Type{
		reflect.TypeFor[Shapes](), reflect.TypeFor[map[string]Shape](), reflect.TypeFor[Other](), reflect.TypeFor[Hider](), reflect.TypeFor[Tagged](), reflect.TypeFor[[]Tagged](),
	}
)
