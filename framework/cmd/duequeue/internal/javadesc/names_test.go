package javadesc

import (
	"testing"

	"github.com/duequeue/duequeue/codecs/java"
)

func TestExported(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"orderId": "OrderID", "id": "ID", "URLPath": "URLPath", "urlPath": "URLPath", "_id": "ID", "aBC": "ABC", "x": "X",
		"paid_at": "PaidAt", "isHTTPS": "IsHTTPS", "v2": "V2", "2nd": "X2nd", "编号": "X编号", "$": "X", "ärger": "Ärger",
	} {
		t.Run(name, func(t *testing.T) {
			if got := exported(name); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	for name, want := range map[string]string{"PAID_LATE": "PaidLate", "A1": "A1", "Mixed": "Mixed", "ID_CARD": "IDCard", "__": "X"} {
		if got := ConstantName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestTypeNames(t *testing.T) {
	t.Parallel()
	var classes []*java.Class
	for _, name := range []string{"a.Order", "b.Order", "Order", "a.Order$Item", "a.OrderItem", "c.a.Order"} {
		classes = append(classes, &java.Class{Name: name})
	}
	names := typeNames(classes, map[string]bool{})
	for class, want := range map[string]string{
		"a.Order": "Order", "b.Order": "BOrder", "Order": "Order_2", "a.Order$Item": "OrderItem", "a.OrderItem": "AOrderItem",
		"c.a.Order": "AOrder",
	} {
		t.Run(class, func(t *testing.T) {
			if names[class] != want {
				t.Errorf("%s, want %s", names[class], want)
			}
		})
	}
	taken := map[string]bool{}
	seen := map[string]bool{}
	for range 50 {
		name := unique("A", taken)
		if seen[name] {
			t.Fatalf("%s is given twice", name)
		}
		seen[name] = true
	}
}
