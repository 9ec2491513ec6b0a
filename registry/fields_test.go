package registry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/registry"
)

type fieldsOrder struct {
	ID       string          `java:"orderId"`
	Customer *fieldsCustomer `java:"customer"`
	Items    []struct {
		SKU string `java:"sku"`
	} `java:"items"`
	Notes map[string]fieldsCustomer `java:"notes"`
	Extra any                       `java:"extra"`
	Raw   *java.Object              `java:"raw"`
	At    time.Time                 `java:"at"`
	Base
}

type fieldsCustomer struct {
	ID int64 `java:"id"`
}

// Base lends its fields.
type Base struct {
	Version int32 `java:"version"`
}

func TestFields(t *testing.T) {
	t.Parallel()
	paths := []string{"orderId", "customer.id", "items.sku", "notes.any.id", "extra.what.ever", "raw.x", "version"}
	q := registry.Define[fieldsOrder]("FIELDS", "", registry.SearchField(paths[:2]...), registry.SearchField(paths[2:]...), registry.Visible("*"))
	if err := q.Err(); err != nil {
		t.Fatal(err)
	}
	p := q.Policy()
	if got := p.SearchFields(); !slices.Equal(got, paths) {
		t.Errorf("%q", got)
	}
	if got := p.VisibleFields(); !slices.Equal(got, []string{"*"}) {
		t.Errorf("%q", got)
	}
	p.SearchFields()[0] = "changed"
	if got := q.Policy().SearchFields()[0]; got != "orderId" {
		t.Errorf("the policy was changed: %q", got)
	}
	body, err := q.Encode(fieldsOrder{ID: "A1"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := registry.Descriptor(q).Value(body)
	if got, ok := v.(fieldsOrder); err != nil || !ok || got.ID != "A1" {
		t.Errorf("%v %v", v, err)
	}
}

// All mistakes in the names of fields are reported together.
func TestFieldMistakes(t *testing.T) {
	t.Parallel()
	q := registry.Define[fieldsOrder]("FIELDS", "",
		registry.SearchField(), registry.SearchField("*"), registry.SearchField("ordreId"), registry.SearchField("orderId.x"), registry.SearchField("at.year"),
		registry.Visible("customer..id", "items[0].sku", "a b", "customer.nr"), registry.Visible("orderId", "orderId"), registry.Visible(strings.Repeat("x", 300)),
	)
	text := q.Err().Error()
	for _, want := range []string{
		`option SearchField(): name at least one field`,
		`option SearchField("*"): name the fields`,
		`option SearchField("ordreId"): type registry_test.fieldsOrder has no field "ordreId" for Java: there are orderId, customer`,
		`option SearchField("orderId.x"): type string has no fields`,
		`option SearchField("at.year"): type time.Time has no fields`,
		`option Visible("customer..id"): a name in it is empty`,
		`option Visible("items[0].sku"): is no path`,
		`option Visible("a b"): is no path`,
		`option Visible("customer.nr"): type registry_test.fieldsCustomer has no field "nr"`,
		`option Visible("orderId")`,
		`has 300 bytes, at most 256`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "declared at unknown") || !strings.Contains(text, "fields_test.go") {
		t.Errorf("%s", text)
	}
}

func ExampleVisible() {
	q := registry.Define[fieldsOrder]("ORDER_PAYMENT_TIMEOUT", "unpaid for 30 minutes: cancel",
		registry.SearchField("orderId", "customer.id"), registry.Visible("orderId"))
	fmt.Println("found by", q.Policy().SearchFields(), "shown", q.Policy().VisibleFields())
	// Output: found by [orderId customer.id] shown [orderId]
}
