package interop_test

import (
	"math/big"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/registry"
)

// The Go twins of the documents: the Java beans of duequeue.beans.Documents, for the
// codecs of Jackson's family.

// Ledger has a field of every class that a field holds by itself.
type Ledger struct {
	ID          int64      `java:"id"`
	BoxedID     *int64     `java:"boxedId"`
	Count       int32      `java:"count"`
	BoxedCount  *int32     `java:"boxedCount"`
	Small       int16      `java:"small"`
	BoxedSmall  *int16     `java:"boxedSmall"`
	Tiny        int8       `java:"tiny"`
	BoxedTiny   *int8      `java:"boxedTiny"`
	Price       float64    `java:"price"`
	BoxedPrice  *float64   `java:"boxedPrice"`
	Rate        float32    `java:"rate"`
	BoxedRate   *float32   `java:"boxedRate"`
	Letter      java.Char  `java:"letter"`
	BoxedLetter *java.Char `java:"boxedLetter"`
	Open        bool       `java:"open"`
	BoxedOpen   *bool      `java:"boxedOpen"`
	Text        *string    `java:"text"`
	Missing     *string    `java:"missing"`
	Huge        *big.Int   `java:"huge"`
	At          time.Time  `java:"at"`
	UUID        *java.UUID `java:"uuid"`
	Level       *Level     `java:"level"`
	Blob        []byte     `java:"blob"`
	AnyLong     any        `java:"anyLong"`
	AnyInt      any        `java:"anyInt"`
	AnyText     any        `java:"anyText"`
	AnyDate     any        `java:"anyDate"`
	AnyNothing  any        `java:"anyNothing"`
}

func (Ledger) JavaClass() string { return "duequeue.beans.Ledger" }

// Price has decimals.
type Price struct {
	Amount   java.BigDecimal `java:"amount"`
	Thousand java.BigDecimal `java:"thousand"`
	Tiny     java.BigDecimal `java:"tiny"`
	Any      any             `java:"any"`
}

func (Price) JavaClass() string { return "duequeue.beans.Price" }

// Shelves has containers with declared elements.
type Shelves struct {
	Texts      []*string                    `java:"texts"`
	Longs      []*int64                     `java:"longs"`
	Ints       []*int32                     `java:"ints"`
	Dates      []*time.Time                 `java:"dates"`
	IDs        []java.UUID                  `java:"ids"`
	Levels     []*Level                     `java:"levels"`
	Blobs      [][]byte                     `java:"blobs"`
	Table      [][]int64                    `java:"table"`
	Counts     map[string]int64             `java:"counts"`
	Days       map[string]time.Time         `java:"days"`
	Series     map[string][]int64           `java:"series"`
	Nested     map[string]map[string]string `java:"nested"`
	ByNumber   map[int64]string             `java:"byNumber"`
	Names      []string                     `java:"names,java.util.Set<java.lang.String>"`
	Mixed      []any                        `java:"mixed"`
	Attributes map[string]any               `java:"attributes"`
	Empty      []string                     `java:"empty"`
}

func (Shelves) JavaClass() string { return "duequeue.beans.Shelves" }

// Picks has enums.
type Picks struct {
	Level   *Level     `java:"level"`
	None    *Level     `java:"none"`
	Step    Step       `java:"step"`
	Levels  []*Level   `java:"levels"`
	Steps   []Step     `java:"steps"`
	ByLevel *java.Map  `java:"byLevel,java.util.Map<duequeue.beans.Level,java.lang.Long>"`
	Set     *java.List `java:"set,java.util.Set<duequeue.beans.Level>"`
	Any     any        `java:"any"`
	AnyStep any        `java:"anyStep"`
}

func (Picks) JavaClass() string { return "duequeue.beans.Picks" }

// Shape is the base of the polymorphic documents.
type Shape struct {
	Name *string `java:"name"`
}

func (Shape) JavaClass() string { return "duequeue.beans.Shape" }

// Circle extends Shape.
type Circle struct {
	Shape
	Radius float64 `java:"radius"`
}

func (Circle) JavaClass() string { return "duequeue.beans.Circle" }

// Square extends Shape.
type Square struct {
	Shape
	Side *int64 `java:"side"`
}

func (Square) JavaClass() string { return "duequeue.beans.Square" }

// Spot is a final class.
type Spot struct {
	City   *string `java:"city"`
	Number int32   `java:"number"`
}

func (Spot) JavaClass() string { return "final duequeue.beans.Spot" }

// Drawing has fields that hold subclasses of their class.
type Drawing struct {
	Main    any            `java:"main,duequeue.beans.Shape"`
	All     []any          `java:"all,java.util.List<duequeue.beans.Shape>"`
	Named   map[string]any `java:"named,java.util.Map<java.lang.String,duequeue.beans.Shape>"`
	Any     any            `java:"any"`
	Corner  *Spot          `java:"corner"`
	Corners []*Spot        `java:"corners"`
}

func (Drawing) JavaClass() string { return "duequeue.beans.Drawing" }

// figure is what a shape is, to Go.
type figure interface{ title() string }

func (s Shape) title() string { return *s.Name }

// Sketch is a Drawing by an interface.
type Sketch struct {
	Main    figure            `java:"main,duequeue.beans.Shape"`
	All     []figure          `java:"all,java.util.List<duequeue.beans.Shape>"`
	Named   map[string]figure `java:"named,java.util.Map<java.lang.String,duequeue.beans.Shape>"`
	Any     any               `java:"any"`
	Corner  *Spot             `java:"corner"`
	Corners []*Spot           `java:"corners"`
}

func (Sketch) JavaClass() string { return "duequeue.beans.Drawing" }

// shapes are the classes that stand in fields of other types.
var shapes = codecs.BindOptions{Classes: map[reflect.Type]string{
	reflect.TypeFor[Shape]():  Shape{}.JavaClass(),
	reflect.TypeFor[Circle](): Circle{}.JavaClass(),
	reflect.TypeFor[Square](): Square{}.JavaClass(),
	reflect.TypeFor[Spot]():   Spot{}.JavaClass(),
}}

// shapeOptions says the same of a queue.
var shapeOptions = []registry.Option{
	registry.JavaClass[Shape](Shape{}.JavaClass()), registry.JavaClass[Circle](Circle{}.JavaClass()),
	registry.JavaClass[Square](Square{}.JavaClass()), registry.JavaClass[Spot](Spot{}.JavaClass()),
}

// Route has records.
type Route struct {
	From  *Point  `java:"from"`
	Stops []Point `java:"stops"`
	Line  *Line   `java:"line"`
}

func (Route) JavaClass() string { return "duequeue.beans.Route" }

// Replies has generic classes.
type Replies struct {
	Words   *Result[[]string]         `java:"words"`
	Counts  *Result[map[string]int64] `java:"counts"`
	Shape   *Result[any]              `java:"shape,duequeue.beans.Result<duequeue.beans.Shape>"`
	Pair    *Pair[string, *int64]     `java:"pair"`
	Number  *Box[int64]               `java:"number"`
	Numbers []Result[int64]           `java:"numbers"`
	Boxes   []Box[string]             `java:"boxes"`
}

func (Replies) JavaClass() string { return "duequeue.beans.Replies" }

// Grid has arrays.
type Grid struct {
	Flags      []bool      `java:"flags,boolean[]"`
	Bytes      []byte      `java:"bytes"`
	Shorts     []int16     `java:"shorts,short[]"`
	Chars      []java.Char `java:"chars,char[]"`
	Ints       []int32     `java:"ints,int[]"`
	Longs      []int64     `java:"longs,long[]"`
	Floats     []float32   `java:"floats,float[]"`
	Doubles    []float64   `java:"doubles,double[]"`
	Strings    []*string   `java:"strings,java.lang.String[]"`
	Boxes      []*int32    `java:"boxes,java.lang.Integer[]"`
	BoxedLongs []*int64    `java:"boxedLongs,java.lang.Long[]"`
	Objects    []any       `java:"objects,java.lang.Object[]"`
	Table      [][]int32   `java:"table,int[][]"`
	Levels     []*Level    `java:"levels,duequeue.beans.Level[]"`
	Spots      []*Spot     `java:"spots,duequeue.beans.Spot[]"`
	Shapes     []any       `java:"shapes,duequeue.beans.Shape[]"`
}

func (Grid) JavaClass() string { return "duequeue.beans.Grid" }

// Account is a bean of private fields.
type Account struct {
	ID     *int64 `java:"id"`
	Owner  string `java:"owner"`
	Active bool   `java:"active"`
}

func (Account) JavaClass() string { return "duequeue.beans.Account" }

// Reading is what the Avro schema of the tests describes.
type Reading struct {
	ID     int64            `java:"id"`
	Count  *int32           `java:"count"`
	Sensor string           `java:"sensor"`
	Note   *string          `java:"note"`
	Value  float64          `java:"value"`
	Error  float32          `java:"error"`
	Valid  bool             `java:"valid"`
	Level  Level            `java:"level"`
	At     time.Time        `java:"at"`
	Raw    []byte           `java:"raw"`
	Tags   []string         `java:"tags"`
	Totals map[string]int64 `java:"totals"`
	Place  *Spot            `java:"place"`
	Places []Spot           `java:"places"`
}

func (Reading) JavaClass() string { return "duequeue.beans.Reading" }

// documentTwins are the documents and what they come with.
func documentTwins() []twin {
	return []twin{
		twinOf[JSONOrder]{name: "bench.order", value: jsonOrder, need: documents | texts},
		twinOf[Ledger]{name: "doc.ledger", value: ledger, need: documents, anys: true},
		twinOf[Ledger]{name: "doc.blank", value: func() Ledger { return Ledger{} }, need: documents},
		twinOf[Price]{name: "doc.price", value: price, need: documents, loose: true, anys: true},
		twinOf[Shelves]{name: "doc.shelves", value: shelves, need: documents, loose: true, anys: true, under: shapes, register: shapeOptions},
		twinOf[Picks]{name: "doc.picks", value: picks, need: documents, loose: true, anys: true},
		twinOf[Drawing]{name: "doc.drawing", value: drawing, need: documents, loose: true, anys: true, under: shapes, register: shapeOptions},
		twinOf[Sketch]{name: "doc.drawing", value: sketch, need: documents | classes, under: shapes, register: shapeOptions},
		twinOf[Route]{name: "doc.route", value: route, need: documents | records, loose: true, anys: true},
		twinOf[Replies]{name: "doc.replies", value: replies, need: documents, loose: true, anys: true, under: shapes, register: shapeOptions},
		twinOf[Grid]{name: "doc.grid", value: grid, need: documents, loose: true, anys: true, under: shapes, register: shapeOptions},
		twinOf[Account]{name: "doc.account", value: account, need: documents},
		twinOf[Reading]{name: "doc.reading", value: reading, need: documents},
		twinOf[Spot]{name: "doc.spot", value: func() Spot { return Spot{ptr("上海"), 8} }, need: documents},
	}
}
