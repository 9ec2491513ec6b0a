package serial_test

import (
	"github.com/duequeue/duequeue/codecs/java"
)

// Base is a superclass.
type Base struct {
	ID   int64  `java:"id"`
	Name string `java:"name"`
}

// JavaClass names it.
func (Base) JavaClass() string { return "demo.Base serial 1" }

// Item is a nested bean.
type Item struct {
	SKU   string          `java:"sku"`
	Count int32           `java:"count"`
	Price java.BigDecimal `java:"price"`
}

// JavaClass names it.
func (Item) JavaClass() string { return "demo.Item serial 2" }
