// Written from classfile/testdata/classes by duequeue javadesc, and yours to edit: duequeue javadesc -check
// tells where it differs from the Java classes.
// A null in a list, array or map fails here, and its message goes to the dead store: with
// nulls there, write it with -nulls.
// Jackson writes java.time by JavaTimeModule and Optional by Jdk8Module alone: see jackson.Mapper.

package sample

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// Order is demo.Order.
type Order struct {
	OrderID     string `java:"orderId"`
	AmountCents int64
	Qty         *int32
	Paid        bool
	Gift        *bool
	Level       int8
	Shelf       int16
	Grade       java.Char
	Weight      float32
	Score       float64
	CustomerID  *int64 `java:"customerId"`
	Rate        *float64
	Initial     *java.Char
	CreatedAt   time.Time
	PaidAt      *java.LocalDateTime
	DueOn       *java.LocalDate
	SeenAt      time.Time `java:"seenAt,java.time.Instant"`
	Total       *java.BigDecimal
	Big         *big.Int
	Token       *java.UUID
	Tags        []string
	Related     []int64      `java:"related,java.util.Set<java.lang.Long>"`
	Items       []*OrderItem `java:"items,java.util.ArrayList<demo.Order$Item>"`
	Prices      map[string]java.BigDecimal
	Ranked      map[int32][]*OrderItem `java:"ranked,java.util.TreeMap<java.lang.Integer,java.util.List<demo.Order$Item>>"`
	Color       Color
	Op          Op
	Money       *Money
	Address     *Address
	Where       *Point
	Codes       []int32 `java:"codes,int[]"`
	Blob        []byte
	Names       []string     `java:"names,java.lang.String[]"`
	Extra       []*OrderItem `java:"extra,demo.Order$Item[]"`
	Grid        [][]int64    `java:"grid,long[][]"`
	Anything    any
	Number      any         `java:"number,java.lang.Number"`
	Unknown     []any       `java:"unknown,java.util.List<?>"`
	Numbers     []any       `java:"numbers,java.util.List<? extends java.lang.Number>"`
	RawMap      map[any]any `java:"rawMap,java.util.Map"`
	Result      *Result[*OrderItem]
	Locale      *java.Locale
	Currency    *java.Text `java:"currency,java.util.Currency"`
	Parent      *Order
	Status      OrderStatus
}

// JavaClass declares demo.Order.
func (Order) JavaClass() string {
	return "demo.Order serial 42"
}

// Vip is demo.Vip.
type Vip[P any] struct {
	Customer

	Perk  P   `java:"perk,P"`
	Perks []P `java:"perks,P[]"`
}

// JavaClass declares demo.Vip.
func (Vip[P]) JavaClass() string {
	return "final demo.Vip<P> extends demo.Customer serial 1871456962642085741"
}

// NumberBox is demo.NumberBox.
type NumberBox[T, U, V any] struct {
	Value T `java:"value,T"`
	Other U `java:"other,U"`
	Third V `java:"third,V"`
	Inner *NumberBoxInner[string]
}

// JavaClass declares demo.NumberBox.
func (NumberBox[T, U, V]) JavaClass() string {
	return "demo.NumberBox<T extends java.lang.Number,U,V extends java.lang.Comparable<? super V>> serial -3471120410733344350"
}

// Pair is demo.Pair.
// It is a record: River cannot carry it.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Pair[A, B any] struct {
	Left  A   `java:"left,A"`
	Right []B `java:"right,java.util.List<B>"`
}

// JavaClass declares demo.Pair.
func (Pair[A, B]) JavaClass() string {
	return "record demo.Pair<A,B> serial none"
}

// Names is demo.Names.
// Its field revision is not carried: kryo5 drops it too.
type Names []string

// JavaClass declares demo.Names.
func (Names) JavaClass() string {
	return "demo.Names extends java.util.ArrayList<java.lang.String> serial 549709631139654009"
}

// NamesByName is demo.Names$ByName.
type NamesByName[V any] map[string]V

// JavaClass declares demo.Names$ByName.
func (NamesByName[V]) JavaClass() string {
	return "demo.Names$ByName<V> extends java.util.HashMap<java.lang.String,V> serial -5768799121682452354"
}

// Strange is demo.Strange.
// It has a method writeExternal: java.io and River carry what that writes, not only these fields.
type Strange struct {
	Shown string
	Lock  any
}

// JavaClass declares demo.Strange.
func (Strange) JavaClass() string {
	return "custom demo.Strange serial 5718532865068642060"
}

// StrangeWritten is demo.Strange$Written.
// It has a method writeObject: java.io and River carry what that writes, not only these fields.
// It declares serialPersistentFields: java.io and River carry those, not these fields.
// Its serialVersionUID is known only to running Java: add "serial N" for java.io.
type StrangeWritten struct {
	A int32
}

// JavaClass declares demo.Strange$Written.
func (StrangeWritten) JavaClass() string {
	return "custom demo.Strange$Written"
}

// Node is demo.Node.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Node struct {
	Kids []*Node
	N    string
	Next *Node
}

// JavaClass declares demo.Node.
func (Node) JavaClass() string {
	return "demo.Node serial none"
}

// X订单 is demo.订单.
type X订单 struct {
	X编号 string `java:"编号"`
	Xﬀ  int32  `java:"ﬀ"`
	X𠮷  int32  `java:"𠮷"`
}

// JavaClass declares demo.订单.
func (X订单) JavaClass() string {
	return "demo.订单 serial 605554617742324742"
}

// OrderLine is demo.Order$Line.
// It is an inner class: in java.io and River it also has a field this$0, which is not carried.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type OrderLine struct {
	Text string
}

// JavaClass declares demo.Order$Line.
func (OrderLine) JavaClass() string {
	return "final demo.Order$Line serial none"
}

// Legacy is old.Legacy.
type Legacy struct {
	Lists []map[string][]int32 `java:"lists,java.util.List<java.util.Map<java.lang.String,java.lang.Integer[]>>"`
	A     int32
}

// JavaClass declares old.Legacy.
func (Legacy) JavaClass() string {
	return "old.Legacy serial 8079853651378691271"
}

// LegacyKind is old.Legacy$Kind.
type LegacyKind string

// The constants of old.Legacy$Kind, in order.
const (
	LegacyKindOne LegacyKind = "ONE"
	LegacyKindTwo LegacyKind = "TWO"
)

// JavaClass declares old.Legacy$Kind.
func (LegacyKind) JavaClass() string {
	return "enum old.Legacy$Kind {ONE{old.Legacy$Kind$1}, TWO}"
}

// LegacyInside is old.Legacy$Inside.
// It is an inner class: in java.io and River it also has a field this$0, which is not carried.
type LegacyInside struct {
	X int32
}

// JavaClass declares old.Legacy$Inside.
func (LegacyInside) JavaClass() string {
	return "old.Legacy$Inside serial -5326592759613640940"
}

// Member is demo.Member.
type Member struct {
	Active

	Name string
}

// JavaClass declares demo.Member.
func (Member) JavaClass() string {
	return "demo.Member extends demo.Active<demo.Member> serial 202274708906263179"
}

// Maybe is demo.Maybe.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Maybe[T any] struct {
	Nick  *string    `java:"nick,java.util.Optional<java.lang.String>"`
	Age   *int32     `java:"age,java.util.OptionalInt"`
	Hits  *int64     `java:"hits,java.util.concurrent.atomic.AtomicLong"`
	Open  *bool      `java:"open,java.util.concurrent.atomic.AtomicBoolean"`
	Last  *Money     `java:"last,java.util.concurrent.atomic.AtomicReference<demo.Money>"`
	Color *Color     `java:"color,java.util.Optional<demo.Color>"`
	Many  []string   `java:"many,java.util.Optional<java.util.List<java.lang.String>>"`
	When  *time.Time `java:"when,java.util.Optional<java.util.Date>"`
	Some  any        `java:"some,java.util.Optional<T>"`
}

// JavaClass declares demo.Maybe.
func (Maybe[T]) JavaClass() string {
	return "demo.Maybe<T> serial none"
}

// OrderItem is demo.Order$Item.
type OrderItem struct {
	SKU        string
	Count      int32
	Price      *java.BigDecimal
	SideEffect any `java:"sideEffect,java.lang.Runnable"`
}

// JavaClass declares demo.Order$Item.
func (OrderItem) JavaClass() string {
	return "demo.Order$Item serial -1869888388371996476"
}

// Color is demo.Color.
type Color string

// The constants of demo.Color, in order.
const (
	ColorRed   Color = "RED"
	ColorGreen Color = "GREEN"
	ColorBlue  Color = "BLUE"
)

// JavaClass declares demo.Color.
func (Color) JavaClass() string {
	return "enum demo.Color {RED, GREEN, BLUE}"
}

// Op is demo.Op.
type Op string

// The constants of demo.Op, in order.
const (
	OpAdd  Op = "ADD"
	OpNone Op = "NONE"
	OpSub  Op = "SUB"
)

// JavaClass declares demo.Op.
func (Op) JavaClass() string {
	return "enum demo.Op {ADD{demo.Op$1}, NONE, SUB{demo.Op$2}}"
}

// Money is demo.Money.
type Money struct {
	Cents    int64
	Currency string
}

// JavaClass declares demo.Money.
func (Money) JavaClass() string {
	return "final demo.Money serial -3766337064362125051"
}

// Address is demo.Address.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Address struct {
	Street string
	City   string
	Zip    int32
}

// JavaClass declares demo.Address.
func (Address) JavaClass() string {
	return "demo.Address serial none"
}

// Point is demo.Point.
// It is a record: River cannot carry it.
type Point struct {
	X     int32
	Y     int32
	Label string
}

// JavaClass declares demo.Point.
func (Point) JavaClass() string {
	return "record demo.Point serial 0"
}

// Result is demo.Result.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Result[T any] struct {
	Code    int32
	Message string
	Data    T            `java:"data,T"`
	Items   []T          `java:"items,java.util.List<T>"`
	More    map[string]T `java:"more,java.util.Map<java.lang.String,? extends T>"`
	Next    *Result[any] `java:"next,demo.Result<? super T>"`
	Array   []T          `java:"array,T[]"`
}

// JavaClass declares demo.Result.
func (Result[T]) JavaClass() string {
	return "demo.Result<T> serial none"
}

// OrderStatus is demo.Order$Status.
type OrderStatus string

// The constants of demo.Order$Status, in order.
const (
	OrderStatusNew     OrderStatus = "NEW"
	OrderStatusPaid    OrderStatus = "PAID"
	OrderStatusShipped OrderStatus = "SHIPPED"
)

// JavaClass declares demo.Order$Status.
func (OrderStatus) JavaClass() string {
	return "enum demo.Order$Status {NEW, PAID, SHIPPED}"
}

// Customer is demo.Customer.
type Customer struct {
	Entity[*int64, *int32]

	Name      string
	Note      string
	Addresses map[Color][]*Address
	Labels    *java.Map `java:"labels,java.util.EnumMap<demo.Color,java.lang.String>"`
	Referrer  *Customer
}

// JavaClass declares demo.Customer.
func (Customer) JavaClass() string {
	return "demo.Customer extends demo.Entity<java.lang.Long,java.lang.Integer> serial -7"
}

// NumberBoxInner is demo.NumberBox$Inner.
// It is an inner class: in java.io and River it also has a field this$0, which is not carried.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type NumberBoxInner[X any] struct {
	X X   `java:"x,X"`
	T any `java:"t,T"`
}

// JavaClass declares demo.NumberBox$Inner.
func (NumberBoxInner[X]) JavaClass() string {
	return "demo.NumberBox$Inner<X> serial none"
}

// Active is demo.Active.
// It is abstract: only its subclasses are on the wire.
type Active struct{}

// JavaClass declares demo.Active.
func (Active) JavaClass() string {
	return "demo.Active serial 1"
}

// Entity is demo.Entity.
// It is abstract: only its subclasses are on the wire.
type Entity[ID, N any] struct {
	ID      ID        `java:"id,ID"`
	Created time.Time `java:"created,java.time.Instant"`
	Marks   []N       `java:"marks,java.util.List<N>"`
	Note    string
}

// JavaClass declares demo.Entity.
func (Entity[ID, N]) JavaClass() string {
	return "demo.Entity<ID extends java.lang.Comparable<ID>,N extends java.lang.Number> serial -8515176951476439706"
}
