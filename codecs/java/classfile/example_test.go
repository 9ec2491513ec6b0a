package classfile_test

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/java/classfile"
)

func ExampleOpen() {
	shop, err := classfile.Open("testdata/classes") // or shop.jar
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shop.Close() //nolint:errcheck // only read from

	vip, err := shop.Class("demo.Vip")
	if err != nil {
		fmt.Println(err)
		return
	}
	vip.Interfaces = nil
	fmt.Println(vip)
	for _, f := range vip.Fields {
		fmt.Println(f.Name, f.Type)
	}
	_, err = shop.Class("demo.Vipp")
	fmt.Println(err)
	// Output:
	// final demo.Vip<P> extends demo.Customer serial 1871456962642085741
	// perk P
	// perks P[]
	// no class demo.Vipp in testdata/classes; did you mean demo.Vip?
}

func ExampleSource_Classes() {
	shop, err := classfile.Open("testdata/classes")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shop.Close() //nolint:errcheck // only read from

	// All that a payload with such a customer may hold: kryo5.New(kryo5.Classes(set)).
	set, err := shop.Classes("demo.Customer")
	if err != nil {
		fmt.Println(err)
		return
	}
	for c := range set.All() {
		fmt.Println(c.Name)
	}
	// Output:
	// demo.Customer
	// demo.Entity
	// demo.Color
	// demo.Address
}
