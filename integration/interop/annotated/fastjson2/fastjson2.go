// Written from classes by duequeue javadesc, and yours to edit: duequeue javadesc -check
// tells where it differs from the Java classes.

package fastjson2

import (
	"encoding/json"
)

// Getters is duequeue.annotated.Getters.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Getters struct {
	Versioned

	Secret  *string           `java:",json=-" json:"-"`
	ETag    *string           `json:"ETag,omitempty"`
	URL     *string           `java:"URL" json:"URL,omitempty"`
	Amount  *json.Number      `java:"amount,java.math.BigDecimal" json:"amount,omitempty"`
	At      *string           `java:"at,java.util.Date" json:"at,omitempty"`
	Bytes   []int8            `java:"bytes,byte[]" json:"bytes"`
	Code    *Code             `json:"code,omitempty"`
	Codes   []*Code           `json:"codes"`
	Counts  map[string]*int64 `json:"counts"`
	Day     *string           `java:"day,java.util.Date,zone=UTC,format=yyyy-MM-dd HH:mm:ss" json:"day,omitempty"`
	Grade   *Grade            `json:"grade,omitempty"`
	ID      *string           `java:"id,java.util.UUID" json:"id,omitempty"`
	IsNew   *bool             `json:"isNew,omitempty"`
	Mark    string            `java:"mark,char" json:"mark"`
	OrderNo *string           `java:",json=order_no" json:"order_no,omitempty"`
	IsPaid  bool              `json:"paid"`
	Remark  *string           `java:",omitnull" json:"remark,omitempty"`
	UserID  *int64            `java:"userId,text" json:"userId,omitempty,string"`
}

// JavaClass declares duequeue.annotated.Getters.
func (Getters) JavaClass() string {
	return "duequeue.annotated.Getters extends duequeue.annotated.Versioned serial none"
}

// Versioned is duequeue.annotated.Versioned.
// It is abstract: only its subclasses are on the wire.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Versioned struct {
	Version int32 `json:"version"`
}

// JavaClass declares duequeue.annotated.Versioned.
func (Versioned) JavaClass() string {
	return "duequeue.annotated.Versioned serial none"
}

// Code is duequeue.annotated.Code.
type Code int64

// The constants of duequeue.annotated.Code, in order.
const (
	CodeOpen Code = 10
	CodePaid Code = 20
	CodeLost Code = -300
	CodeHuge Code = 100000
)

// JavaClass declares duequeue.annotated.Code.
func (Code) JavaClass() string {
	return "enum duequeue.annotated.Code {OPEN=10, PAID=20, LOST=-300, HUGE=100000}"
}

// Grade is duequeue.annotated.Grade.
type Grade string

// The constants of duequeue.annotated.Grade, in order.
const (
	GradeGood Grade = "g"
	GradeBad  Grade = "b"
)

// JavaClass declares duequeue.annotated.Grade.
func (Grade) JavaClass() string {
	return "enum duequeue.annotated.Grade {GOOD=\"g\", BAD=\"b\"}"
}
