package serial_test

import (
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// Color is an enum.
type Color string

// JavaClass declares it.
func (Color) JavaClass() string { return "enum demo.Color {RED, GREEN, BLUE}" }

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

// Scalars has a field of every scalar.
type Scalars struct {
	Base
	Bool      bool       `java:"bool"`
	BoolRef   *bool      `java:"boolRef"`
	Byte      int8       `java:"byte"`
	ByteRef   *int8      `java:"byteRef"`
	Short     int16      `java:"short"`
	ShortRef  *int16     `java:"shortRef"`
	Char      java.Char  `java:"char"`
	CharRef   *java.Char `java:"charRef"`
	Int       int32      `java:"int"`
	IntRef    *int32     `java:"intRef"`
	Wide      int        `java:"wide"`
	Long      int64      `java:"long"`
	LongRef   *int64     `java:"longRef"`
	Half      uint8      `java:"half"`
	HalfRef   *uint8     `java:"halfRef"`
	Word      uint16     `java:"word"`
	Plain     uint       `java:"plain"`
	PlainRef  *uint      `java:"plainRef"`
	Huge      uint64     `java:"huge"`
	HugeRef   *uint32    `java:"hugeRef"`
	Float     float32    `java:"float"`
	FloatRef  *float32   `java:"floatRef"`
	Double    float64    `java:"double"`
	DoubleRef *float64   `java:"doubleRef"`
	Text      string     `java:"text"`
	TextRef   *string    `java:"textRef"`
}

// JavaClass names it.
func (Scalars) JavaClass() string { return "demo.Scalars serial 3" }

// Values has fields of the types of package java, and what stands for them.
type Values struct {
	Decimal    java.BigDecimal     `java:"decimal"`
	DecimalRef *java.BigDecimal    `java:"decimalRef"`
	Big        *big.Int            `java:"big"`
	UUID       java.UUID           `java:"uuid"`
	UUIDRef    *java.UUID          `java:"uuidRef"`
	Time       time.Time           `java:"time"`
	TimeRef    *time.Time          `java:"timeRef"`
	Instant    time.Time           `java:"instant,java.time.Instant"`
	Day        *java.LocalDate     `java:"day"`
	At         java.LocalDateTime  `java:"at"`
	Wait       time.Duration       `java:"wait"`
	Color      Color               `java:"color"`
	Other      *Color              `java:"other"`
	Bytes      []byte              `java:"bytes"`
	Ints       []int32             `java:"ints,int[]"`
	Longs      []int64             `java:"longs,long[]"`
	Stock      map[string]int32    `java:"stock"`
	Lists      map[string][]string `java:"lists"`
}

// JavaClass names it.
func (Values) JavaClass() string { return "demo.Values serial 4" }

// Node is a bean in a graph.
type Node struct {
	Label    string           `java:"label"`
	Next     *Node            `java:"next"`
	Item     Item             `java:"item"`
	Shared   *Item            `java:"shared"`
	Children []*Node          `java:"children"`
	Items    []Item           `java:"items"`
	Names    []string         `java:"names"`
	Refs     []*string        `java:"refs"`
	Colors   []Color          `java:"colors"`
	Numbers  []*int32         `java:"numbers"`
	ByName   map[string]*Node `java:"byName"`
	Any      any              `java:"any"`
	Rest     map[string]any   `java:"rest"`
}

// JavaClass names it.
func (Node) JavaClass() string { return "demo.Node serial 5" }

// goTypes are carried by both streams.
var goTypes = []reflect.Type{
	reflect.TypeFor[Scalars](), reflect.TypeFor[*Scalars](), reflect.TypeFor[Values](), reflect.TypeFor[Node](), reflect.TypeFor[*Node](),
	reflect.TypeFor[[]Item](), reflect.TypeFor[map[string]Item](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]int64](),
	reflect.TypeFor[map[string][]string](), reflect.TypeFor[map[int32]string](), reflect.TypeFor[map[string]map[string]any](),
	reflect.TypeFor[[]any](), reflect.TypeFor[[]string](), reflect.TypeFor[[]*string](), reflect.TypeFor[[][]string](), reflect.TypeFor[[]int32](),
	reflect.TypeFor[[]int64](), reflect.TypeFor[[][]*int32](), reflect.TypeFor[[]byte](), reflect.TypeFor[[]time.Time](), reflect.TypeFor[[]java.BigDecimal](),
	reflect.TypeFor[[]*java.BigDecimal](), reflect.TypeFor[[]java.UUID](), reflect.TypeFor[[]Color](), reflect.TypeFor[string](), reflect.TypeFor[*string](),
	reflect.TypeFor[bool](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[[]uint32](), reflect.TypeFor[int64](), reflect.TypeFor[float32](), reflect.TypeFor[float64](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[java.BigDecimal](), reflect.TypeFor[java.UUID](), reflect.TypeFor[Color](),
}
