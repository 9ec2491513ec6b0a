package inspect

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
)

func TestVariables(t *testing.T) {
	t.Parallel()
	d := &declarer{taken: map[string]bool{"OrderPaid": true}}
	for _, of := range [][2]string{
		{"ORDER_PAYMENT_TIMEOUT", "OrderPaymentTimeout"},
		{"order.payment-timeout", "OrderPaymentTimeoutQueue"},
		{"orderPayment:timeout", "OrderPaymentTimeoutQueue2"},
		{"orderPaid", "OrderPaidQueue"},
		{"{tag}:7days", "Tag7days"},
		{"7days", "X7days"},
		{"订单", "X订单"},
		{"::", "X"},
	} {
		if got := d.variable(of[0]); got != of[1] {
			t.Errorf("%s: %s, not %s", of[0], got, of[1])
		}
	}
}

// Types are those that "duequeue javadesc" writes, and no name is there twice; what payloads claim
// to be and no class can be called is none.
func TestTypesOfDeclarations(t *testing.T) {
	t.Parallel()
	of := func(queue string, classes ...string) *report {
		v := verdict{Codec: "kryo5", Read: 1, Of: 1}
		for _, class := range classes {
			v.Classes = append(v.Classes, classCount{class, 1})
		}
		return &report{Queue: queue, Codecs: []verdict{v}}
	}
	all := []*report{
		of("ORDER", "com.a.Order"), of("REFUND", "com.b.Order"), of("ITEM", "com.a.Order$Item"), of("MIXED", "com.a.Order", "java.lang.String"),
		of("HOSTILE", "com.a.\x1b[31mOrder"), of("SHELL", "a;rm -rf ~"),
	}
	i := &inspector{}
	i.declareAll(all)
	for n, want := range []string{
		`var OrderQueue = registry.Define[Order]("ORDER", `, `var Refund = registry.Define[BOrder]("REFUND", `, `var Item = registry.Define[OrderItem]("ITEM", `,
		`var Mixed = registry.Define[any]("MIXED", `, `var Hostile = registry.Define[any]("HOSTILE", `, `var Shell = registry.Define[any]("SHELL", `,
	} {
		if !strings.HasPrefix(all[n].Declare, want) {
			t.Errorf("%s\nnot %s", all[n].Declare, want)
		}
	}
	var out strings.Builder
	if err := i.printSource(&env.Env{Stdout: &out}, all); err != nil || !strings.Contains(out.String(), `FILE.jar -package orders com.a.Order 'com.a.Order$Item' com.b.Order > orders.go`) {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// A codec with settings of a mapper, and JSON in the text of another codec, are declared as a
// program writes them.
func TestSourceOfCodecs(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"typedjsonjackson+typing=NON_FINAL":                           "jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.NonFinal})",
		"typedjsonjackson+typing=JAVA_LANG_OBJECT+as=WRAPPER_OBJECT":  "jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.JavaLangObject, As: jackson.WrapperObject})",
		"typedjsonjackson+typing=NON_FINAL+as=PROPERTY+property=kind": `jackson.TypedJsonJackson(jackson.Mapper{Typing: jackson.NonFinal, As: jackson.Property, Property: "kind"})`,
		"jsonjackson+dates=TEXT+timezone=GMT+8+longastext=TRUE":       `jackson.JsonJackson(jackson.Mapper{Dates: jackson.DateTexts, TimeZone: "GMT+8", LongAsText: true})`,
		"cborjackson+naming=UPPER_CAMEL_CASE+enums=ORDINAL":           "cbor.Jackson(jackson.Mapper{Naming: jackson.UpperCamelCase, Enums: jackson.EnumOrdinals})",
		"text(kryo5,json)":         "codecs.Text(kryo5.New(), jackson.JSON())",
		"lz4(kryo5)":               "compress.LZ4(kryo5.New())",
		"jsonjackson+dates=SUNDAY": "",
	} {
		got, ok := goCodec(name, map[string]bool{})
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
