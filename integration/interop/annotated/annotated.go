// Written from classes by duequeue javadesc, and yours to edit: duequeue javadesc -check
// tells where it differs from the Java classes.
// Jackson writes java.time by JavaTimeModule alone: see jackson.Mapper.

package annotated

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// Annotated is duequeue.annotated.Annotated.
type Annotated struct {
	OrderID    *string           `java:"orderId,json=orderNo"`
	UserID     int64             `java:"userId,json=user_id,text"`
	BoxedID    *int64            `java:"boxedId,json=boxed_id,text"`
	Count      *int32            `java:",text"`
	Amount     *java.BigDecimal  `java:",text"`
	Huge       *big.Int          `java:",text"`
	Rate       float64           `java:",text"`
	AllIds     []*int64          `java:",json=all_ids,text"`
	ByName     map[string]*int64 `java:",json=by_name,text"`
	CreateTime time.Time         `java:",json=create_time,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	UtcTime    time.Time         `java:",json=utc_time,format=yyyy/MM/dd HH:mm:ss.SSS"`
	AllTimes   []time.Time       `java:",json=all_times,zone=Asia/Shanghai,format=yyyy-MM-dd HH:mm:ss.SSS"`
	TextTime   time.Time         `java:",json=text_time,text"`
	ZonedTime  time.Time         `java:",json=zoned_time,text,zone=GMT+8"`
	NumberTime time.Time         `java:",json=number_time,number"`
	// CalendarTime: a Calendar comes as an object in java.io and River: for these make it a *java.Object.
	CalendarTime *java.Calendar    `java:",json=calendar_time,zone=Asia/Shanghai,format=yyyy-MM-dd'T'HH:mm:ss.SSSXXX"`
	Level        Level             `java:",number"`
	AllLevels    []Level           `java:",json=all_levels,number"`
	Always       *string           `java:",always"`
	NonNull      *string           `java:",json=non_null,omitnull"`
	EmptyText    *string           `java:",json=empty_text,omitempty"`
	EmptyList    []*string         `java:",json=empty_list,omitempty"`
	EmptyMap     map[string]*int64 `java:",json=empty_map,omitempty"`
	EmptyLong    *int64            `java:",json=empty_long,omitempty"`
	EmptyInt     int32             `java:",json=empty_int"`
	Secret       *string           `java:",json=-"`
	Forgotten    *string           `java:",json=-"`
	PlainLong    *int64            `java:",json=plain_long"`
}

// JavaClass declares duequeue.annotated.Annotated.
func (Annotated) JavaClass() string {
	return "duequeue.annotated.Annotated serial 1"
}

// Dated is duequeue.annotated.Dated.
type Dated struct {
	Local        *java.LocalDateTime  `java:",format=yyyy-MM-dd HH:mm:ss"`
	ZonedLocal   *java.LocalDateTime  `java:",format=yyyy-MM-dd HH:mm"`
	Day          *java.LocalDate      `java:",format=yyyy/MM/dd"`
	Clock        *java.LocalTime      `java:",format=HH:mm"`
	Days         []*java.LocalDate    `java:",format=dd.MM.yyyy"`
	Instant      time.Time            `java:"instant,java.time.Instant,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	Offset       *java.OffsetDateTime `java:",zone=UTC,format=yyyy-MM-dd HH:mm:ssXXX"`
	Zoned        *java.ZonedDateTime  `java:",zone=UTC,format=yyyy-MM-dd HH:mm:ss.SSS"`
	Numbers      *java.LocalDateTime  `java:",number"`
	Seconds      time.Time            `java:"seconds,java.time.Instant,number"`
	Text         *java.LocalDateTime  `java:",text"`
	TextInstant  time.Time            `java:"textInstant,java.time.Instant,text"`
	TextDuration *java.Duration       `java:",text"`
	Plain        *java.LocalDateTime
	PlainOffset  *java.OffsetDateTime
	PlainZoned   *java.ZonedDateTime
	PlainInstant time.Time `java:"plainInstant,java.time.Instant"`
	PlainDate    time.Time
	MapperDate   time.Time            `java:",format=yyyy-MM-dd HH:mm:ss"`
	MapperOffset *java.OffsetDateTime `java:",format=yyyy-MM-dd HH:mm:ssXXX"`
	MapperZoned  *java.ZonedDateTime  `java:",format=yyyy-MM-dd HH:mm:ssZ"`
}

// JavaClass declares duequeue.annotated.Dated.
func (Dated) JavaClass() string {
	return "duequeue.annotated.Dated serial 1"
}

// Graded is duequeue.annotated.Graded.
type Graded struct {
	Grade   Grade
	Stage   Stage
	Grades  []Grade
	Stages  []Stage
	ByGrade map[Grade]*int32 `java:"byGrade,java.util.TreeMap<duequeue.annotated.Grade,java.lang.Integer>"`
	ByStage map[Stage]*int32 `java:"byStage,java.util.TreeMap<duequeue.annotated.Stage,java.lang.Integer>"`
}

// JavaClass declares duequeue.annotated.Graded.
func (Graded) JavaClass() string {
	return "duequeue.annotated.Graded serial 1"
}

// Open is duequeue.annotated.Open.
type Open struct {
	OrderID int64            `java:"orderId,json=order_id,text"`
	Amount  *java.BigDecimal `java:",text"`
	Created time.Time        `java:",zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	Day     time.Time        `java:",format=yyyy/MM/dd"`
	Number  time.Time        `java:",number"`
	Text    time.Time        `java:",text"`
	Level   Level            `java:",number"`
	Always  *string          `java:",always"`
	NonNull *string          `java:",omitnull"`
	Empty   []*string        `java:",omitempty"`
	Secret  *string          `java:",json=-"`
}

// JavaClass declares duequeue.annotated.Open.
func (Open) JavaClass() string {
	return "duequeue.annotated.Open serial 1"
}

// OpenTimes is duequeue.annotated.OpenTimes.
type OpenTimes struct {
	Local    *java.LocalDateTime  `java:",format=yyyy-MM-dd HH:mm:ss"`
	Days     []*java.LocalDate    `java:",format=dd.MM.yyyy"`
	Instant  time.Time            `java:"instant,java.time.Instant,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	Offset   *java.OffsetDateTime `java:",format=yyyy-MM-dd HH:mm:ssXXX"`
	Numbers  *java.LocalDateTime  `java:",number"`
	Seconds  time.Time            `java:"seconds,java.time.Instant,number"`
	Duration *java.Duration       `java:",text"`
}

// JavaClass declares duequeue.annotated.OpenTimes.
func (OpenTimes) JavaClass() string {
	return "duequeue.annotated.OpenTimes serial 1"
}

// Named is duequeue.annotated.Named.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Named struct {
	// Event: duequeue.annotated.Event is an interface, and its values are of Paid, Expired: name these by registry.JavaClass.
	Event any `java:"event,duequeue.annotated.Event"`
	// Events: duequeue.annotated.Event is an interface, and its values are of Paid, Expired: name these by registry.JavaClass.
	Events []any `java:"events,java.util.List<duequeue.annotated.Event>"`
	// ByName: duequeue.annotated.Event is an interface, and its values are of Paid, Expired: name these by registry.JavaClass.
	ByName map[string]any `java:"byName,java.util.Map<java.lang.String,duequeue.annotated.Event>"`
	Paid   *Paid
	// Shape: duequeue.annotated.Shape is abstract, and its values are of Square, Circle: name these by registry.JavaClass.
	Shape  any `java:"shape,duequeue.annotated.Shape"`
	Square *Square
	// Shapes: duequeue.annotated.Shape is abstract, and its values are of Square, Circle: name these by registry.JavaClass.
	Shapes []any `java:"shapes,java.util.List<duequeue.annotated.Shape>"`
	// Pet: duequeue.annotated.Pet is abstract, and its values are of Cat: name these by registry.JavaClass.
	Pet   any `java:"pet,duequeue.annotated.Pet"`
	Cat   *Cat
	Tool  *Tool
	Open  any
	Code  Code
	Codes []Code
	Name  *string `java:",alias=old_name|title"`
}

// JavaClass declares duequeue.annotated.Named.
func (Named) JavaClass() string {
	return "duequeue.annotated.Named serial none"
}

// Arranged is duequeue.annotated.Arranged.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Arranged struct {
	Apple   *string
	OrderNo *string `java:",json=order_no"`
	Second  *int32
	First   *int32
	Total   int64
	Hidden  *string `java:",json=-"`
	Seen    *string
	IsPaid  bool `java:",json=paid"`
	// Vehicle: duequeue.annotated.Arranged$Vehicle is abstract, and its values are of ArrangedCar, ArrangedVan: name these by registry.JavaClass.
	Vehicle any `java:"vehicle,duequeue.annotated.Arranged$Vehicle"`
	// Vehicles: duequeue.annotated.Arranged$Vehicle is abstract, and its values are of ArrangedCar, ArrangedVan: name these by registry.JavaClass.
	Vehicles []any `java:"vehicles,java.util.List<duequeue.annotated.Arranged$Vehicle>"`
	Car      *ArrangedCar
}

// JavaClass declares duequeue.annotated.Arranged.
func (Arranged) JavaClass() string {
	return "duequeue.annotated.Arranged serial none order total,order_no,none,seen,first,second"
}

// Reply is duequeue.annotated.Reply.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Reply[T any] struct {
	Code    int32
	Message *string
	Data    T `java:"data,T"`
}

// JavaClass declares duequeue.annotated.Reply.
func (Reply[T]) JavaClass() string {
	return "duequeue.annotated.Reply<T> serial none"
}

// Single is duequeue.annotated.Single.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Single struct {
	Texts   []*string `java:"texts,java.lang.String[]"`
	Names   []*string
	Longs   []*int64
	Numbers []int32 `java:"numbers,int[]"`
	Nested  [][]*int32
	Paid    []*Paid
	None    []*string `java:"none,java.lang.String[]"`
	Two     []*string
	Bytes   []byte
	Codes   []Code
}

// JavaClass declares duequeue.annotated.Single.
func (Single) JavaClass() string {
	return "duequeue.annotated.Single serial none"
}

// Level is duequeue.beans.Level.
type Level string

// The constants of duequeue.beans.Level, in order.
const (
	LevelBasic  Level = "BASIC"
	LevelSilver Level = "SILVER"
	LevelGold   Level = "GOLD"
)

// JavaClass declares duequeue.beans.Level.
func (Level) JavaClass() string {
	return "enum duequeue.beans.Level {BASIC, SILVER, GOLD}"
}

// Grade is duequeue.annotated.Grade.
type Grade string

// The constants of duequeue.annotated.Grade, in order.
const (
	GradeGood Grade = "GOOD"
	GradeBad  Grade = "BAD"
)

// JavaClass declares duequeue.annotated.Grade.
func (Grade) JavaClass() string {
	return "enum duequeue.annotated.Grade {GOOD=\"g\", BAD=\"b\"}"
}

// Stage is duequeue.annotated.Stage.
type Stage string

// The constants of duequeue.annotated.Stage, in order.
const (
	StageOpen Stage = "OPEN"
	StageDone Stage = "DONE"
	StageLost Stage = "LOST"
)

// JavaClass declares duequeue.annotated.Stage.
func (Stage) JavaClass() string {
	return "enum duequeue.annotated.Stage {OPEN=\"open\", DONE=\"all done\", LOST}"
}

// Paid is duequeue.annotated.Paid.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Paid struct {
	OrderID *string `java:"orderId"`
	Cents   *int64
}

// JavaClass declares duequeue.annotated.Paid.
func (Paid) JavaClass() string {
	return "duequeue.annotated.Paid implements duequeue.annotated.Event serial none json type=order.paid"
}

// Shape is duequeue.annotated.Shape.
// It is abstract: only its subclasses are on the wire.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Shape struct {
	Label *string
}

// JavaClass declares duequeue.annotated.Shape.
func (Shape) JavaClass() string {
	return "duequeue.annotated.Shape serial none json {}"
}

// Square is duequeue.annotated.Square.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Square struct {
	Shape

	Side int32
}

// JavaClass declares duequeue.annotated.Square.
func (Square) JavaClass() string {
	return "final duequeue.annotated.Square extends duequeue.annotated.Shape serial none json {Square}"
}

// Pet is duequeue.annotated.Pet.
// It is abstract: only its subclasses are on the wire.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Pet struct {
	Kind *string
}

// JavaClass declares duequeue.annotated.Pet.
func (Pet) JavaClass() string {
	return "duequeue.annotated.Pet serial none json existing kind="
}

// Cat is duequeue.annotated.Cat.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Cat struct {
	Pet

	Lives *int32
}

// JavaClass declares duequeue.annotated.Cat.
func (Cat) JavaClass() string {
	return "duequeue.annotated.Cat extends duequeue.annotated.Pet serial none json existing kind=cat"
}

// Tool is duequeue.annotated.Tool.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Tool struct {
	Owner *string
}

// JavaClass declares duequeue.annotated.Tool.
func (Tool) JavaClass() string {
	return "duequeue.annotated.Tool serial none json [duequeue.annotated.Tool]"
}

// Code is duequeue.annotated.Code.
type Code string

// The constants of duequeue.annotated.Code, in order.
const (
	CodeOpen Code = "OPEN"
	CodePaid Code = "PAID"
	CodeLost Code = "LOST"
	CodeHuge Code = "HUGE"
)

// JavaClass declares duequeue.annotated.Code.
func (Code) JavaClass() string {
	return "enum duequeue.annotated.Code {OPEN=10, PAID=20, LOST=-300, HUGE=100000}"
}

// ArrangedVehicle is duequeue.annotated.Arranged$Vehicle.
// It is abstract: only its subclasses are on the wire.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type ArrangedVehicle struct {
	Wheels *int32
}

// JavaClass declares duequeue.annotated.Arranged$Vehicle.
func (ArrangedVehicle) JavaClass() string {
	return "duequeue.annotated.Arranged$Vehicle serial none json @c="
}

// ArrangedCar is duequeue.annotated.Arranged$Car.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type ArrangedCar struct {
	ArrangedVehicle
}

// JavaClass declares duequeue.annotated.Arranged$Car.
func (ArrangedCar) JavaClass() string {
	return "duequeue.annotated.Arranged$Car extends duequeue.annotated.Arranged$Vehicle serial none json @c=.Arranged$Car"
}

// Expired is duequeue.annotated.Expired.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Expired struct {
	OrderID *string `java:"orderId"`
	// Cause: duequeue.annotated.Event is an interface, and its values are of Paid, Expired: name these by registry.JavaClass.
	Cause any `java:"cause,duequeue.annotated.Event"`
}

// JavaClass declares duequeue.annotated.Expired.
func (Expired) JavaClass() string {
	return "duequeue.annotated.Expired implements duequeue.annotated.Event serial none json type=order.expired"
}

// Circle is duequeue.annotated.Circle.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Circle struct {
	Shape

	Radius float64
}

// JavaClass declares duequeue.annotated.Circle.
func (Circle) JavaClass() string {
	return "duequeue.annotated.Circle extends duequeue.annotated.Shape serial none json {circle}"
}

// Saw is duequeue.annotated.Saw.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Saw struct {
	Tool

	Teeth *int64
}

// JavaClass declares duequeue.annotated.Saw.
func (Saw) JavaClass() string {
	return "duequeue.annotated.Saw extends duequeue.annotated.Tool serial none json [duequeue.annotated.Saw]"
}

// ArrangedVan is duequeue.annotated.Arranged$Van.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type ArrangedVan struct {
	ArrangedVehicle

	Load *int64
}

// JavaClass declares duequeue.annotated.Arranged$Van.
func (ArrangedVan) JavaClass() string {
	return "duequeue.annotated.Arranged$Van extends duequeue.annotated.Arranged$Vehicle serial none order wheels json @c=.Arranged$Van"
}
