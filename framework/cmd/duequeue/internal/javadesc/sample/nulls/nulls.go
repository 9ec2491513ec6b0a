// Written from classfile/testdata/classes by duequeue javadesc, and yours to edit: duequeue javadesc -check
// tells where it differs from the Java classes.
// Jackson writes java.time by JavaTimeModule alone: see jackson.Mapper.

package nulls

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// Order is demo.Order.
type Order struct {
	OrderID     *string `java:"orderId"`
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
	Tags        []*string
	Related     []*int64     `java:"related,java.util.Set<java.lang.Long>"`
	Items       []*OrderItem `java:"items,java.util.ArrayList<demo.Order$Item>"`
	Prices      map[string]*java.BigDecimal
	Ranked      map[int32][]*OrderItem `java:"ranked,java.util.TreeMap<java.lang.Integer,java.util.List<demo.Order$Item>>"`
	Color       Color
	Op          Op
	Money       *Money
	Address     *Address
	Where       *Point
	Codes       []int32 `java:"codes,int[]"`
	Blob        []byte
	Names       []*string    `java:"names,java.lang.String[]"`
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

// OrderItem is demo.Order$Item.
type OrderItem struct {
	SKU        *string
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
	Currency *string
}

// JavaClass declares demo.Money.
func (Money) JavaClass() string {
	return "final demo.Money serial -3766337064362125051"
}

// Address is demo.Address.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Address struct {
	Street *string
	City   *string
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
	Label *string
}

// JavaClass declares demo.Point.
func (Point) JavaClass() string {
	return "record demo.Point serial 0"
}

// Result is demo.Result.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Result[T any] struct {
	Code    int32
	Message *string
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
