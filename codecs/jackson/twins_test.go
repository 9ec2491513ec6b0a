package jackson_test

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// The Go twins of the beans behind the golden rows, see
// integration/java/src/vectors/jackson/demo.

type goldenStatus string

func (goldenStatus) JavaClass() string { return "enum demo.Types$Status {NEW, PAID}" }

type goldenGrade string

func (goldenGrade) JavaClass() string { return "enum demo.Types$Grade {LOW, HIGH}" }

// gradeTexts is what toString of demo.Types$Grade gives.
var gradeTexts = map[string]string{"LOW": "low grade", "HIGH": "high grade"}

type goldenItem struct {
	Sku string `java:"sku"`
	N   int32  `java:"n"`
}

func (goldenItem) JavaClass() string { return "demo.Types$Item" }

type goldenSpecial struct {
	goldenItem
	Extra *int64 `java:"extra"`
}

func (goldenSpecial) JavaClass() string { return "demo.Types$Special" }

type goldenLeaf struct {
	V string `java:"v"`
	N *int64 `java:"n"`
}

func (goldenLeaf) JavaClass() string { return "final demo.Types$Leaf" }

type goldenOrder struct {
	ID         int64                   `java:"id"`
	BoxedID    *int64                  `java:"boxedId"`
	Qty        int32                   `java:"qty"`
	BoxedQty   *int32                  `java:"boxedQty"`
	S          int16                   `java:"s"`
	BoxedS     *int16                  `java:"boxedS"`
	B          int8                    `java:"b"`
	BoxedB     *int8                   `java:"boxedB"`
	Price      float64                 `java:"price"`
	BoxedPrice *float64                `java:"boxedPrice"`
	F          float32                 `java:"f"`
	BoxedF     *float32                `java:"boxedF"`
	Ok         bool                    `java:"ok"`
	BoxedOk    *bool                   `java:"boxedOk"`
	Ch         java.Char               `java:"ch"`
	BoxedCh    *java.Char              `java:"boxedCh"`
	Name       string                  `java:"name"`
	Nothing    *string                 `java:"nothing"`
	Amount     java.BigDecimal         `java:"amount"`
	Thousand   java.BigDecimal         `java:"thousand"`
	Big        *big.Int                `java:"big"`
	Num        any                     `java:"num,java.lang.Number"`
	Created    time.Time               `java:"created"`
	UUID       java.UUID               `java:"uuid"`
	URI        string                  `java:"uri,java.net.URI"`
	Locale     java.Locale             `java:"locale"`
	Status     goldenStatus            `java:"status"`
	Grade      goldenGrade             `java:"grade"`
	Blob       []byte                  `java:"blob"`
	Ints       []int32                 `java:"ints,int[]"`
	Longs      []int64                 `java:"longs,long[]"`
	Doubles    []float64               `java:"doubles,double[]"`
	Chars      []java.Char             `java:"chars,char[]"`
	BoxedLongs []int64                 `java:"boxedLongs,java.lang.Long[]"`
	Strings    []*string               `java:"strings,java.lang.String[]"`
	Objects    []any                   `java:"objects,java.lang.Object[]"`
	ItemArray  []goldenItem            `java:"itemArray,demo.Types$Item[]"`
	Grid       [][]int32               `java:"grid,int[][]"`
	AnyInt     any                     `java:"anyInt"`
	AnyLong    any                     `java:"anyLong"`
	AnyText    any                     `java:"anyText"`
	AnyDouble  any                     `java:"anyDouble"`
	AnyFloat   any                     `java:"anyFloat"`
	AnyDate    any                     `java:"anyDate"`
	AnyEnum    any                     `java:"anyEnum"`
	AnyGrade   any                     `java:"anyGrade"`
	AnyDecimal java.BigDecimal         `java:"anyDecimal,java.lang.Object"`
	AnyBytes   any                     `java:"anyBytes"`
	AnyUUID    any                     `java:"anyUuid"`
	AnyItem    *goldenItem             `java:"anyItem,java.lang.Object"`
	AnyList    any                     `java:"anyList"`
	Tags       []*string               `java:"tags"`
	LongList   []int64                 `java:"longList"`
	DoubleList []float64               `java:"doubleList"`
	Mixed      []any                   `java:"mixed"`
	States     []goldenStatus          `java:"states"`
	Items      *java.List              `java:"items,java.util.List<demo.Types$Item>"`
	Leaves     []goldenLeaf            `java:"leaves"`
	Nested     [][]int64               `java:"nested"`
	UUIDs      []java.UUID             `java:"uuids"`
	Dates      []time.Time             `java:"dates"`
	Ring       []int32                 `java:"ring,java.util.Collection<java.lang.Integer>"`
	Set        *java.List              `java:"set,java.util.Set<java.lang.String>"`
	Attrs      *java.Map               `java:"attrs"`
	Counts     *java.Map               `java:"counts,java.util.Map<java.lang.String,java.lang.Long>"`
	ByID       map[int64]string        `java:"byId"`
	ByState    *java.Map               `java:"byState,java.util.Map<demo.Types$Status,demo.Types$Item>"`
	Groups     map[string][]goldenItem `java:"groups"`
	Item       *goldenItem             `java:"item"`
	Poly       *goldenSpecial          `java:"poly,demo.Types$Item"`
	Leaf       goldenLeaf              `java:"leaf"`
	Self       any                     `java:"self"`
}

func (goldenOrder) JavaClass() string { return "demo.Types$Order" }

type goldenRec struct {
	B     *string     `java:"b"`
	A     int64       `java:"a"`
	Boxed *int64      `java:"boxed"`
	Item  *goldenItem `java:"item"`
	Any   any         `java:"any"`
}

func (goldenRec) JavaClass() string { return "record demo.Types$Rec" }

type goldenHasRec struct {
	Rec  goldenRec   `java:"rec"`
	Recs []goldenRec `java:"recs"`
}

func (goldenHasRec) JavaClass() string { return "demo.Types$HasRec" }

type goldenTimes struct {
	Date       java.LocalDate      `java:"date"`
	Time       java.LocalTime      `java:"time"`
	DateTime   java.LocalDateTime  `java:"dateTime"`
	Instant    java.Instant        `java:"instant"`
	Duration   java.Duration       `java:"duration"`
	Period     java.Period         `java:"period"`
	Offset     java.OffsetDateTime `java:"offset"`
	OffsetTime java.OffsetTime     `java:"offsetTime"`
	Zoned      java.ZonedDateTime  `java:"zoned"`
	Year       java.Year           `java:"year"`
	YearMonth  java.YearMonth      `java:"yearMonth"`
	MonthDay   java.MonthDay       `java:"monthDay"`
	Zone       string              `java:"zone,java.time.ZoneId"`
	ZoneOffset java.ZoneOffset     `java:"zoneOffset"`
	Day        goldenDay           `java:"day"`
	Month      goldenMonth         `java:"month"`
	Any        any                 `java:"any"`
	AnyInstant any                 `java:"anyInstant"`
	AnyZoned   any                 `java:"anyZoned"`
	List       []java.LocalDate    `java:"list"`
	Map        *java.Map           `java:"map,java.util.Map<java.time.LocalDate,java.time.Instant>"`
}

func (goldenTimes) JavaClass() string { return "demo.Times" }

type goldenDay string

func (goldenDay) JavaClass() string { return "enum java.time.DayOfWeek {MONDAY, TUESDAY}" }

type goldenMonth string

func (goldenMonth) JavaClass() string { return "enum java.time.Month {JANUARY, FEBRUARY, MARCH}" }

type goldenMaybe struct {
	None *string `java:"none,java.util.Optional<java.lang.String>"`
	Some *int64  `java:"some,java.util.Optional<java.lang.Long>"`
	Any  any     `java:"any"`
}

func (goldenMaybe) JavaClass() string { return "demo.Times$Maybe" }

type goldenDates struct {
	Date  time.Time `java:"date"`
	Stamp time.Time `java:"stamp,java.sql.Timestamp"`
	Day   time.Time `java:"day,java.sql.Date"`
	Old   time.Time `java:"old"`
	Far   time.Time `java:"far"`
}

func (goldenDates) JavaClass() string { return "demo.Types$Dates" }

type goldenGen[T any] struct {
	Val  T   `java:"val,T"`
	Vals []T `java:"vals,java.util.List<T>"`
}

func (goldenGen[T]) JavaClass() string { return "demo.Types$Gen<T>" }

type goldenHolder struct {
	Longs goldenGen[int64]       `java:"longs"`
	Items goldenGen[*goldenItem] `java:"items"`
	Any   goldenGen[any]         `java:"any,demo.Types$Gen<?>"`
}

func (goldenHolder) JavaClass() string { return "demo.Types$GenHolder" }

type goldenFailure struct {
	ID         int32            `java:"@id"`
	Cause      *goldenFailure   `java:"cause,java.lang.Throwable"`
	Code       int32            `java:"code"`
	Localized  *string          `java:"localizedMessage"`
	Message    *string          `java:"message"`
	StackTrace []goldenItem     `java:"stackTrace,java.lang.StackTraceElement[]"`
	Suppressed []*goldenFailure `java:"suppressed,java.lang.Throwable[]"`
}

func (goldenFailure) JavaClass() string { return "demo.Types$Failure" }

type goldenFlat struct {
	Blob []byte       `java:"blob"`
	D    float64      `java:"d"`
	ID   *int64       `java:"id"`
	N    int32        `java:"n"`
	Nul  *string      `java:"nul"`
	Ok   bool         `java:"ok"`
	Sku  string       `java:"sku"`
	St   goldenStatus `java:"st"`
	Tags []string     `java:"tags"`
}

func (goldenFlat) JavaClass() string { return "demo.Types$Flat" }

// plainFlat is goldenFlat without a Java class, in another order.
type plainFlat struct {
	Tags []string `java:"tags"`
	St   string   `java:"st"`
	Sku  string   `java:"sku"`
	Ok   bool     `java:"ok"`
	Nul  *string  `java:"nul"`
	N    int32    `java:"n"`
	ID   *int64   `java:"id"`
	D    float64  `java:"d"`
	Blob []byte   `java:"blob"`
}
