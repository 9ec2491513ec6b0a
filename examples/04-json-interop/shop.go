// Written from the classes in java by duequeue javadesc, and yours to edit: duequeue javadesc -check
// tells where it differs from the Java classes.

package main

import (
	"time"

	"github.com/duequeue/duequeue/codecs/java"
)

// Order is shop.Order.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Order struct {
	ID         int64
	CustomerID *int64     `java:"customerId"`
	RequestID  *java.UUID `java:"requestId"`
	Status     Status
	Created    time.Time
	Items      []*Item
	Parcels    [][]int64
	Note       *string // a pointer, so that null stays null: JsonJacksonCodec leaves it out
}

// Notice is shop.Notice as Java's own mapper writes it, behind a StringCodec. Nothing
// in the payload is Java's: json tags are all it takes.
type Notice struct {
	OrderNo    string   `json:"orderNo"`
	CustomerID int64    `json:"customerId"`
	Channels   []string `json:"channels"`
}

// JavaClass declares shop.Order.
func (Order) JavaClass() string {
	return "shop.Order serial none"
}

// Status is shop.Status.
type Status string

// The constants of shop.Status, in order.
const (
	StatusNew     Status = "NEW"
	StatusPaid    Status = "PAID"
	StatusShipped Status = "SHIPPED"
)

// JavaClass declares shop.Status.
func (Status) JavaClass() string {
	return "enum shop.Status {NEW, PAID, SHIPPED}"
}

// Item is shop.Item.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Item struct {
	SKU      string
	Quantity int32
	Price    *java.BigDecimal
}

// JavaClass declares shop.Item.
func (Item) JavaClass() string {
	return "shop.Item serial none"
}
