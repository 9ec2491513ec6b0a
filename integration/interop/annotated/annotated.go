// Written from classes by duequeue javadesc, and yours to edit: duequeue javadesc -check
// tells where it differs from the Java classes.

package annotated

import (
	"math/big"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// Annotated is duequeue.annotated.Annotated.
type Annotated struct {
	OrderID      *string           `java:"orderId,json=orderNo"`
	UserID       int64             `java:"userId,json=user_id,text"`
	BoxedID      *int64            `java:"boxedId,json=boxed_id,text"`
	Count        *int32            `java:",text"`
	Amount       *java.BigDecimal  `java:",text"`
	Huge         *big.Int          `java:",text"`
	Rate         float64           `java:",text"`
	AllIds       []*int64          `java:",json=all_ids,text"`
	ByName       map[string]*int64 `java:",json=by_name,text"`
	CreateTime   time.Time         `java:",json=create_time,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	UtcTime      time.Time         `java:",json=utc_time,format=yyyy/MM/dd HH:mm:ss.SSS"`
	AllTimes     []time.Time       `java:",json=all_times,zone=Asia/Shanghai,format=yyyy-MM-dd HH:mm:ss.SSS"`
	TextTime     time.Time         `java:",json=text_time,text"`
	ZonedTime    time.Time         `java:",json=zoned_time,text,zone=GMT+8"`
	NumberTime   time.Time         `java:",json=number_time,number"`
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
// Jackson writes its constants by annotations: jackson.EnumTexts says which texts these are.
type Grade string

// The constants of duequeue.annotated.Grade, in order.
const (
	GradeGood Grade = "GOOD"
	GradeBad  Grade = "BAD"
)

// JavaClass declares duequeue.annotated.Grade.
func (Grade) JavaClass() string {
	return "enum duequeue.annotated.Grade {GOOD, BAD}"
}

// Stage is duequeue.annotated.Stage.
// Jackson writes its constants by annotations: jackson.EnumTexts says which texts these are.
type Stage string

// The constants of duequeue.annotated.Stage, in order.
const (
	StageOpen Stage = "OPEN"
	StageDone Stage = "DONE"
	StageLost Stage = "LOST"
)

// JavaClass declares duequeue.annotated.Stage.
func (Stage) JavaClass() string {
	return "enum duequeue.annotated.Stage {OPEN, DONE, LOST}"
}
