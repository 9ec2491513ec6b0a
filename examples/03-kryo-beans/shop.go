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
	BaseEntity

	OrderNo    string
	Status     Status
	Gift       bool
	Points     *int32
	PayBefore  *java.LocalDateTime
	Items      []*Item
	Attributes map[string]string
}

// JavaClass declares shop.Order.
func (Order) JavaClass() string {
	return "shop.Order extends shop.BaseEntity"
}

// Event is shop.Event.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type Event[T any] struct {
	Type string
	Data T `java:"data,T"`
}

// JavaClass declares shop.Event.
func (Event[T]) JavaClass() string {
	return "shop.Event<T>"
}

// BaseEntity is shop.BaseEntity.
// It is not Serializable: kryo5 and JSON carry it, java.io and River cannot.
type BaseEntity struct {
	ID        *int64
	CreatedAt time.Time
}

// JavaClass declares shop.BaseEntity.
func (BaseEntity) JavaClass() string {
	return "shop.BaseEntity"
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
	return "shop.Item"
}
