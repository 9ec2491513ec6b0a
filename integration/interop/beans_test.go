package interop_test

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// The Go twins of the Java beans in package duequeue.beans, as a user would write
// them: names and classes; declared types only where Go leaves them open.

// Entity is the base of the inheritance beans.
type Entity struct {
	ID      *int64 `java:"id"`
	Name    string `java:"name"`
	Version int32  `java:"version"`
}

func (Entity) JavaClass() string { return "duequeue.beans.Entity serial 1" }

// Customer extends Entity and repeats the name of one of its fields.
type Customer struct {
	Entity
	Name   string          `java:"name"`
	Level  *Level          `java:"level"`
	Since  *java.LocalDate `java:"since"`
	Home   *Address        `java:"home"`
	Work   *Address        `java:"work"`
	Others []Address       `java:"others"`
}

func (Customer) JavaClass() string { return "duequeue.beans.Customer serial 1" }

// Vip is the third level.
type Vip struct {
	Customer
	Limit   *java.BigDecimal `java:"limit"`
	Version int32            `java:"version"`
}

func (Vip) JavaClass() string { return "duequeue.beans.Vip serial 1" }

// Address is a final class.
type Address struct {
	Street *string `java:"street"`
	City   *string `java:"city"`
	Number int32   `java:"number"`
}

func (Address) JavaClass() string { return "final duequeue.beans.Address serial 1" }

// Level is an enum by its constants' names.
type Level string

func (Level) JavaClass() string { return "enum duequeue.beans.Level {BASIC, SILVER, GOLD}" }

// Step is an enum by its ordinals; its constants have bodies.
type Step int

func (Step) JavaClass() string {
	return "enum duequeue.beans.Step {ADD{duequeue.beans.Step$1}, SUB{duequeue.beans.Step$2}}"
}

// Choices has enums alone and in containers.
type Choices struct {
	Level  Level      `java:"level"`
	None   *Level     `java:"none"`
	Step   Step       `java:"step"`
	Levels []*Level   `java:"levels"`
	Steps  []Step     `java:"steps"`
	Counts *java.Map  `java:"counts,java.util.Map<duequeue.beans.Level,java.lang.Integer>"`
	Set    *java.List `java:"set,java.util.Set<duequeue.beans.Level>"`
}

func (Choices) JavaClass() string { return "duequeue.beans.Choices serial 1" }

// Box, Pair, Result and Page are generic.
type Box[T any] struct {
	Value T   `java:"value,T"`
	All   []T `java:"all,java.util.List<T>"`
}

func (Box[T]) JavaClass() string { return "duequeue.beans.Box<T> serial 1" }

// StringBox binds the parameter of its base.
type StringBox struct {
	Box[string]
	Length int32 `java:"length"`
}

func (StringBox) JavaClass() string {
	return "duequeue.beans.StringBox extends duequeue.beans.Box<java.lang.String> serial 1"
}

// Pair has two parameters.
type Pair[A, B any] struct {
	First  A `java:"first,A"`
	Second B `java:"second,B"`
}

func (Pair[A, B]) JavaClass() string { return "duequeue.beans.Pair<A,B> serial 1" }

// Result is what services answer with.
type Result[T any] struct {
	Code    int32  `java:"code"`
	Message string `java:"message"`
	Data    T      `java:"data,T"`
}

func (Result[T]) JavaClass() string { return "duequeue.beans.Result<T> serial 1" }

// Page has a parameter with a bound.
type Page[T any] struct {
	Rows  []T   `java:"rows,java.util.List<T>"`
	Total int64 `java:"total"`
}

func (Page[T]) JavaClass() string {
	return "duequeue.beans.Page<T extends duequeue.beans.Entity> serial 1"
}

// Answers has fields of generic classes.
type Answers struct {
	Words  *Result[[]string]         `java:"words"`
	Counts *Result[map[string]int32] `java:"counts"`
	One    *Result[*Customer]        `java:"one"`
	Page   *Page[Customer]           `java:"page"`
	Pair   *Pair[string, *int64]     `java:"pair"`
	Text   *Box[string]              `java:"text"`
	Number *Box[int32]               `java:"number"`
	Wild   *Box[any]                 `java:"wild,duequeue.beans.Box<?>"`
	Boxes  []Box[string]             `java:"boxes"`
}

func (Answers) JavaClass() string { return "duequeue.beans.Answers serial 1" }

// Bound has a bean that binds the type parameter of its base.
type Bound struct {
	Box   *StringBox `java:"box"`
	Order *java.List `java:"order,java.util.Set<java.lang.Integer>"`
}

func (Bound) JavaClass() string { return "duequeue.beans.Bound serial 1" }

// Point is a record of primitives.
type Point struct {
	Y int32 `java:"y"`
	X int32 `java:"x"`
}

func (Point) JavaClass() string { return "record duequeue.beans.Point" }

// Line is a record of objects.
type Line struct {
	From   *Point   `java:"from"`
	To     *Point   `java:"to"`
	Labels []string `java:"labels"`
	Level  *Level   `java:"level"`
	Weight *int32   `java:"weight"`
	Extra  any      `java:"extra"`
	Length int64    `java:"length"`
}

func (Line) JavaClass() string { return "record duequeue.beans.Line" }

// Nested has containers in containers.
type Nested struct {
	Matrix [][]*int32                   `java:"matrix"`
	Series map[string][]int64           `java:"series"`
	Texts  map[string]map[string]string `java:"texts"`
	Rows   []map[string]any             `java:"rows"`
	Sorted *java.Map                    `java:"sorted,java.util.TreeMap<java.lang.String,java.lang.Integer>"`
	Names  *java.List                   `java:"names,java.util.Set<java.lang.String>"`
	Any    any                          `java:"any"`
}

func (Nested) JavaClass() string { return "duequeue.beans.Nested serial 1" }

// Everything has a field of every everyday class.
type Everything struct {
	Flag     *bool            `java:"flag"`
	Tiny     *int8            `java:"tiny"`
	Small    *int16           `java:"small"`
	Whole    *int32           `java:"whole"`
	Large    *int64           `java:"large"`
	Single   *float32         `java:"single"`
	Exact    *float64         `java:"exact"`
	Letter   *java.Char       `java:"letter"`
	Text     *string          `java:"text"`
	Date     time.Time        `java:"date"`
	Amount   *java.BigDecimal `java:"amount"`
	Huge     *big.Int         `java:"huge"`
	List     []*string        `java:"list"`
	Map      map[string]int32 `java:"map"`
	Ints     []int32          `java:"ints,int[]"`
	Objects  []any            `java:"objects,java.lang.Object[]"`
	Address  *Address         `java:"address"`
	Customer *Customer        `java:"customer"`
	Level    *Level           `java:"level"`
	Day      *java.LocalDate  `java:"day"`
	Any      any              `java:"any"`
}

func (Everything) JavaClass() string { return "duequeue.beans.Everything serial 1" }

// Primitives has a field of every primitive type.
type Primitives struct {
	Flag   bool      `java:"flag"`
	Tiny   int8      `java:"tiny"`
	Small  int16     `java:"small"`
	Whole  int32     `java:"whole"`
	Large  int64     `java:"large"`
	Single float32   `java:"single"`
	Exact  float64   `java:"exact"`
	Letter java.Char `java:"letter"`
}

func (Primitives) JavaClass() string { return "duequeue.beans.Primitives serial 1" }

// Rows has arrays.
type Rows struct {
	Flags     []bool      `java:"flags,boolean[]"`
	Bytes     []byte      `java:"bytes"`
	Shorts    []int16     `java:"shorts,short[]"`
	Chars     []java.Char `java:"chars,char[]"`
	Ints      []int32     `java:"ints,int[]"`
	Longs     []int64     `java:"longs,long[]"`
	Floats    []float32   `java:"floats,float[]"`
	Doubles   []float64   `java:"doubles,double[]"`
	Strings   []*string   `java:"strings,java.lang.String[]"`
	Boxes     []*int32    `java:"boxes,java.lang.Integer[]"`
	Objects   []any       `java:"objects,java.lang.Object[]"`
	Table     [][]int32   `java:"table,int[][]"`
	Levels    []*Level    `java:"levels,duequeue.beans.Level[]"`
	Addresses []*Address  `java:"addresses,duequeue.beans.Address[]"`
	Entities  []any       `java:"entities,duequeue.beans.Entity[]"`
}

func (Rows) JavaClass() string { return "duequeue.beans.Rows serial 1" }

// Node makes graphs.
type Node struct {
	Name     string  `java:"name"`
	Next     *Node   `java:"next"`
	Children []*Node `java:"children"`
}

func (Node) JavaClass() string { return "duequeue.beans.Node serial 1" }

// Shared has fields that hold the same objects.
type Shared struct {
	Left      *Node      `java:"left"`
	Right     *Node      `java:"right"`
	Names     *java.List `java:"names,java.util.List<java.lang.String>"`
	SameNames *java.List `java:"sameNames,java.util.List<java.lang.String>"`
	At        *time.Time `java:"at"`
	SameAt    *time.Time `java:"sameAt"`
}

func (Shared) JavaClass() string { return "duequeue.beans.Shared serial 1" }

// Times has the classes of java.time.
type Times struct {
	Day     java.LocalDate      `java:"day"`
	Time    java.LocalTime      `java:"time"`
	At      java.LocalDateTime  `java:"at"`
	Instant java.Instant        `java:"instant"`
	Took    java.Duration       `java:"took"`
	Offset  java.OffsetDateTime `java:"offset"`
	Zoned   java.ZonedDateTime  `java:"zoned"`
	UUID    java.UUID           `java:"uuid"`
	None    *java.LocalDateTime `java:"none"`
}

func (Times) JavaClass() string { return "duequeue.beans.Times serial 1" }

// Maybe has Optional fields.
type Maybe struct {
	Some   *string `java:"some,java.util.Optional<java.lang.String>"`
	Empty  *string `java:"empty,java.util.Optional<java.lang.String>"`
	Number *int32  `java:"number,java.util.OptionalInt"`
	Name   string  `java:"name"`
}

func (Maybe) JavaClass() string { return "duequeue.beans.Maybe serial 1" }

// Failure carries an exception.
type Failure struct {
	Code  string `java:"code"`
	Cause any    `java:"cause,java.lang.Throwable"`
}

func (Failure) JavaClass() string { return "duequeue.beans.Failure serial 1" }

// Order is the order of the benchmarks.
type Order struct {
	OrderID     string          `java:"orderId"`
	Customer    string          `java:"customer"`
	Remark      string          `java:"remark"`
	AmountCents int64           `java:"amountCents"`
	Quantity    int32           `java:"quantity"`
	Discount    *int32          `java:"discount"`
	Paid        bool            `java:"paid"`
	CreatedAt   time.Time       `java:"createdAt"`
	Total       java.BigDecimal `java:"total"`
	Tags        []string        `java:"tags"`
}

func (Order) JavaClass() string { return "duequeue.bench.Order serial 1" }
