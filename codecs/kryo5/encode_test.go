package kryo5

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
)

func TestEncodePlainGo(t *testing.T) {
	t.Parallel()
	type order struct {
		OrderID string `java:"orderId"`
		Remark  string
	}
	const order100 = hashMap + "\x03\x03orderI\xe4\x0310\xb0\x03remar\xeb\x03\x85其他信息"
	for name, c := range map[string]struct {
		value any
		want  string
	}{
		"nil":             {nil, "\x00"},
		"nil map":         {map[string]any(nil), "\x00"},
		"nil slice":       {[]any(nil), "\x00"},
		"nil pointer":     {(*string)(nil), "\x00"},
		"nil java map":    {(*java.Map)(nil), "\x00"},
		"int":             {42, "\x02\x54"},
		"uint8":           {uint8(200), "\x08\xc8\x00"},
		"uint16":          {uint16(65535), "\x02\xfe\xff\x07"},
		"uint32":          {uint32(math.MaxUint32), "\x09\xfe\xff\xff\xff\x1f"},
		"duration as int": {time.Duration(5), "\x09\x0a"},
		"NaN":             {math.Float64frombits(0x7ff8000000000001), "\x0a\x00\x00\x00\x00\x00\x00\xf8\x7f"},
		"map":             {map[string]any{"remark": "其他信息", "orderId": "100"}, order100},
		"typed map":       {map[string]string{"remark": "其他信息", "orderId": "100"}, order100},
		"struct":          {order{"100", "其他信息"}, order100},
		"struct pointer":  {&order{"100", "其他信息"}, order100},
		"list":            {[]any{1, "ab", nil, int64(2)}, arrayList + "\x05\x02\x02\x03a\xe2\x00\x09\x04"},
		"typed list":      {[]string{"ab", "cd"}, arrayList + "\x83\x03\x00a\xe2c\xe4"},
		"lowered inside":  {[]any{uint8(1), int16(2)}, arrayList + "\x83\x08\x00\x01\x00\x02\x00"},
		"list of nil":     {[]any{nil, nil}, arrayList + "\x83\x00"},
		"empty list":      {[]any{}, arrayList + "\x01"},
		"time":            {time.UnixMilli(5), "\x01\x00java.util.Dat\xe5\x05"},
		"negative big":    {big.NewInt(-32768), "\x01\x00java.math.BigIntege\xf2\x03\x80\x00"},
		"list of dates":   {[]any{time.UnixMilli(5), nil}, arrayList + "\x83\x01\x01java.util.Dat\xe5\x01\x01\x05\x00"},
		"sorted set":      {&java.List{Class: "java.util.TreeSet", Elements: []any{"ab"}}, "\x01\x00java.util.TreeSe\xf4\x82\x00\x03\x00a\xe2"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New().Encode(c.value)
			if err != nil || string(got) != c.want {
				t.Errorf("%s: got %x, %v\nwant %x", name, got, err, c.want)
			}
		})
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	self := []any{nil}
	self[0] = self
	loop := &java.Map{}
	loop.Set("me", loop)
	for name, c := range map[string]struct {
		value  any
		path   string
		reason string
	}{
		"int too wide":      {map[string]any{"n": math.MaxInt32 + 1}, "n", "use int64"},
		"uint64 too wide":   {uint64(math.MaxUint64), "", "big.Int"},
		"no UTF-8":          {[]any{"a", "\xff"}, "[1]", "UTF-8"},
		"channel":           {make(chan int), "", "no Java value"},
		"func in a map":     {map[string]any{"f": func() {}}, "f", "no Java value"},
		"bean":              {&java.Object{Class: "demo.Order"}, "", "demo.Order"},
		"enum":              {java.Enum{Class: "demo.Color"}, "", "demo.Color"},
		"unknown class":     {&java.Object{Class: "demo.Map"}, "", "demo.Map"},
		"guava's list":      {&java.List{Class: "com.google.common.collect.RegularImmutableList"}, "", "not read it back"},
		"list as map":       {&java.List{Class: "java.util.HashMap"}, "", "kind"},
		"null in Hashtable": {&java.Map{Class: "java.util.Hashtable", Entries: []java.Entry{{Key: "k"}}}, "k", "null"},
		"null in a deque":   {&java.List{Class: "java.util.ArrayDeque", Elements: []any{nil}}, "", "null"},
		"mixed tree keys": {
			&java.Map{Class: "java.util.TreeMap", Entries: []java.Entry{{Key: "a"}, {Key: int32(1)}}}, "[key]", "one class",
		},
		"mixed skip list": {
			&java.List{Class: "java.util.concurrent.ConcurrentSkipListSet", Elements: []any{"a", int32(1)}}, "", "one class",
		},
		"repeated in Set.of": {
			&java.List{Class: "java.util.ImmutableCollections$SetN", Elements: []any{"a", "b", "a"}}, "", "twice",
		},
		"repeated in Map.of": {
			&java.Map{Class: "java.util.ImmutableCollections$MapN", Entries: []java.Entry{{Key: "a", Value: "b"}, {Key: "a", Value: "c"}}}, "", "twice",
		},
		"two singletons": {&java.List{Class: "java.util.Collections$SingletonList", Elements: []any{1, 2}}, "", "2 elements"},
		"full emptyMap":  {&java.Map{Class: "java.util.Collections$EmptyMap", Entries: []java.Entry{{}}}, "", "1 entries"},
		"no date":        {java.LocalDate{Year: 2023, Month: 2, Day: 29}, "", "java.time.LocalDate"},
		"slice in itself": {
			self, strings.Repeat("[0]", 512), "in itself",
		},
		"map in itself": {loop, "me" + strings.Repeat(".me", 511), "in itself"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New().Encode(c.value)
			var e *codecs.EncodeError
			if !errors.As(err, &e) || e.Codec != "kryo5" || e.Path != c.path || !strings.Contains(err.Error(), c.reason) || got != nil {
				t.Errorf("%s: got %x, %v", name, got, err)
			}
		})
	}
}

func TestAppendKeepsPrefix(t *testing.T) {
	t.Parallel()
	b, err := New().append([]byte("prefix"), New().plan, []any{"demo", make(chan int)}, false)
	if err == nil || string(b) != "prefix" {
		t.Errorf("%q, %v", b, err)
	}
}
