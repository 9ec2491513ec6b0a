package gotypes_test

import (
	"fmt"
	"reflect"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/gotypes"
)

// Entity is the Java class demo.Entity: the superclass of others.
type Entity struct {
	ID int64 `java:"id"`
}

func (Entity) JavaClass() string { return "demo.Entity" }

// Status is the Java enum demo.Status. Go's values are the names of the constants.
type Status string

func (Status) JavaClass() string { return "enum demo.Status {OPEN, PAID}" }

// Line is a final class, as Kotlin and Lombok's @Value make them.
type Line struct {
	SKU   string          `java:"sku"`
	Price java.BigDecimal `java:"price"`
}

func (Line) JavaClass() string { return "final demo.Order$Line" }

// Order extends demo.Entity, since it embeds Entity.
type Order struct {
	Entity
	Status Status     `java:"status"`
	Lines  []Line     `java:"lines"`
	Paid   *time.Time `java:"paid,java.time.Instant"`
}

func (Order) JavaClass() string { return "demo.Order serial 42" }

// Result is the generic class demo.Result<T>.
type Result[T any] struct {
	Code int `java:"code"`
	Data T   `java:"data,T"`
}

func (Result[T]) JavaClass() string { return "demo.Result<T>" }

// A Go type names Java classes by itself and by its fields: ClassesOf finds them
// all, with the declared types of their fields.
func ExampleClassesOf() {
	set, err := gotypes.ClassesOf(reflect.TypeFor[Result[[]Order]](), codecs.BindOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for c := range set.All() {
		fmt.Println(c)
		for _, f := range c.Fields {
			fmt.Println("   ", f.Type, f.Name)
		}
	}
	// Output:
	// demo.Result<T>
	//     int code
	//     T data
	// demo.Order extends demo.Entity serial 42
	//     demo.Status status
	//     java.util.List<demo.Order$Line> lines
	//     java.time.Instant paid
	// demo.Entity
	//     long id
	// enum demo.Status {OPEN, PAID}
	// final demo.Order$Line
	//     java.lang.String sku
	//     java.math.BigDecimal price
}

// The declared type of a field follows from its Go type, with type arguments.
func ExampleDescribeType() {
	for _, t := range []reflect.Type{
		reflect.TypeFor[int64](), reflect.TypeFor[*int64](), reflect.TypeFor[map[string][]Order](), reflect.TypeFor[Result[*Order]](),
	} {
		fmt.Println(gotypes.DescribeType(t, java.TypeExpr{}, codecs.BindOptions{}))
	}
	// Output:
	// long
	// java.lang.Long
	// java.util.Map<java.lang.String,java.util.List<demo.Order>>
	// demo.Result<demo.Order>
}

// During a rolling deploy of the Java side two Go structs describe one class: the
// bound type as it is now, the other one as it was. Both go into the bound type.
func ExampleClassesOf_variants() {
	type oldOrder struct {
		Entity
		State string `java:"state"`
	}
	set, err := gotypes.ClassesOf(reflect.TypeFor[Order](), codecs.BindOptions{
		Classes: map[reflect.Type]string{reflect.TypeFor[oldOrder](): "demo.Order serial 41"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range set.Variants("demo.Order") {
		fmt.Println(c, len(c.Fields))
	}
	// Output:
	// demo.Order extends demo.Entity serial 42 3
	// demo.Order extends demo.Entity serial 41 1
}
