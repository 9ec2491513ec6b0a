package bridge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

func TestGenericContainers(t *testing.T) {
	t.Parallel()
	lowers(t, index[bag[int32]]{"b": {1}, "a": nil}, `{"class":"demo.Index","value":{"a":null,"b":{"class":"demo.Bag","value":[1]}}}`)
	lowers(t, arrays[int64]{Array: []int64{1}, Grid: [][]int64{{2}}}, `{"class":"demo.Arrays","value":{`+
		`"array":{"class":"[Ljava.lang.Object;","value":[{"class":"java.lang.Long","value":1}]},`+
		`"grid":{"class":"java.util.ArrayList","value":[{"class":"[Ljava.lang.Object;","value":[{"class":"java.lang.Long","value":2}]}]}}}`)
	assigns(t, &java.Object{Class: "demo.Maybe", Fields: []java.Field{{Name: "value", Value: object("java.util.Optional", "x")}}}, maybe[string]{Value: p("x")})
}

func TestDeclaredText(t *testing.T) {
	t.Parallel()
	type texts struct {
		A string `java:"a,java.util.UUID"`
		B string `java:"b,java.math.BigDecimal"`
		C string `java:"c,java.math.BigInteger"`
		D string `java:"d,java.lang.Class"`
		E string `java:"e,java.time.ZoneId"`
		F string `java:"f,java.time.ZoneId"`
		G string `java:"g,java.net.URI"`
		H string `java:"h,java.nio.charset.Charset"`
		I string `java:"i,java.lang.StringBuffer"`
		J string `java:"j,java.util.Currency"`
	}
	plan := mustCompile[texts](t)
	in := texts{
		A: "123e4567-e89b-12d3-a456-426614174000", B: "-1.50", C: "-7", D: "int", E: "Asia/Tokyo", F: "+09:00", G: "a:b", H: "ISO-8859-1", J: "EUR",
	}
	low := codectest.Must(plan.Lower(in))(t)
	var out texts
	if err := plan.Assign(low, &out); err != nil || out != in {
		t.Errorf("%+v, %v", out, err)
	}
	for name, class := range map[string]string{
		"a": "java.util.UUID", "b": "java.math.BigDecimal", "c": "java.math.BigInteger", "d": "java.lang.Class", "e": "java.time.ZoneRegion",
		"f": "java.time.ZoneOffset", "g": "java.net.URI", "h": "sun.nio.cs.ISO_8859_1", "i": "java.lang.StringBuffer", "j": "java.util.Currency",
	} {
		t.Run(name, func(t *testing.T) {
			if v, _ := low.(*java.Map).Get(name); java.ClassOf(v) != class {
				t.Errorf("%s: %s, want %s", name, java.ClassOf(v), class)
			}
		})
	}
	for field, v := range map[string]texts{"h": {H: "EBCDIC"}, "b": {B: "x"}, "c": {C: "1.5"}, "a": {A: "x"}} {
		cannotLower(t, v, field, "declared type")
	}
	refuses[texts](t, &java.Map{Entries: []java.Entry{{Key: "a", Value: int32(1)}}}, "a", "the kinds differ")
	assigns(t, &java.Map{Entries: []java.Entry{{Key: "j", Value: &java.Object{Class: "java.util.Currency", Fields: []java.Field{{Value: "EUR"}}}}}}, texts{J: "EUR"})
}

type (
	small uint8
	wide2 int16
)

func (small) JavaClass() string { return manyConstants(300) }
func (wide2) JavaClass() string { return manyConstants(300) }

func manyConstants(n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("C%d", i)
	}
	return "enum demo.Many {" + strings.Join(names, ",") + "}"
}

func TestIntegerEnums(t *testing.T) {
	t.Parallel()
	assigns(t, java.Enum{Class: "demo.Many", Name: "C255", Ordinal: -1}, small(255))
	assigns(t, java.Enum{Class: "demo.Many", Ordinal: 299}, wide2(299))
	refuses[small](t, java.Enum{Class: "demo.Many", Ordinal: 256}, "", "does not fit")
	refuses[small](t, int32(1), "", "the kinds differ")
	cannotLower(t, wide2(-1), "", "ordinal -1")
	lowers(t, small(255), `{"class":"demo.Many","value":"C255"}`)
	lowers(t, struct {
		A []wide2     `java:"a,java.util.EnumSet<demo.Many>"`
		B []java.Enum `java:"b,java.util.EnumSet<demo.Open>"`
	}{[]wide2{10, 9}, []java.Enum{{Class: "demo.Open", Ordinal: 1}, {Class: "demo.Open", Ordinal: 0}}}, `{"class":"java.util.HashMap","value":{`+
		`"a":{"class":"java.util.JumboEnumSet","value":[{"class":"demo.Many","value":"C9"},{"class":"demo.Many","value":"C10"}],"of":"demo.Many"},`+
		`"b":{"class":"java.util.RegularEnumSet","value":[{"class":"demo.Open","value":0},{"class":"demo.Open","value":1}],"of":"demo.Open"}}}`)
	cannotLower(t, struct {
		B []java.Enum `java:"b,java.util.EnumSet<demo.Open>"`
	}{[]java.Enum{{Class: "demo.Open"}, {Class: "demo.Other"}}}, "b", "no constant of the enum")
}
