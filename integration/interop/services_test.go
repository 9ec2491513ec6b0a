package interop_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/integration/jvm"
	"github.com/duequeue/duequeue/framework/integration/rig"
	"github.com/duequeue/duequeue/registry"
)

// The Go twins of duequeue.services.Dtos: the payloads of public services.

const dtos = "duequeue.services.Dtos$"

// Unpaid has no default constructor.
type Unpaid struct {
	OrderID string `java:"orderId"`
}

func (Unpaid) JavaClass() string { return dtos + "Unpaid" }

// Visit has nulls and a date.
type Visit struct {
	Link       *string   `java:"link"`
	User       *string   `java:"user"`
	Address    *string   `java:"address"`
	System     *string   `java:"system"`
	Browser    *string   `java:"browser"`
	Device     *string   `java:"device"`
	Network    *string   `java:"network"`
	FirstVisit *bool     `java:"firstVisit"`
	FromToday  *bool     `java:"fromToday"`
	At         time.Time `java:"at"`
}

func (Visit) JavaClass() string { return dtos + "Visit" }

// LocalVisit has a time without a zone.
type LocalVisit struct {
	Link       *string             `java:"link"`
	User       *string             `java:"user"`
	FirstVisit *bool               `java:"firstVisit"`
	At         *java.LocalDateTime `java:"at"`
}

func (LocalVisit) JavaClass() string { return dtos + "LocalVisit" }

// Stock has getters in Java.
type Stock struct {
	Sku      *int64 `java:"sku"`
	Activity *int64 `java:"activity"`
}

func (Stock) JavaClass() string { return dtos + "Stock" }

// Prize has a Long and an Integer.
type Prize struct {
	Strategy *int64 `java:"strategy"`
	Prize    *int32 `java:"prize"`
}

func (Prize) JavaClass() string { return dtos + "Prize" }

// Task has a format.
type Task struct {
	ID    *int64              `java:"id"`
	RunAt *java.LocalDateTime `java:"runAt,format=yyyy-MM-dd HH:mm:ss"`
}

func (Task) JavaClass() string { return dtos + "Task" }

// Renamed has annotations.
type Renamed struct {
	OrderID *int64    `java:"orderId,json=order_id"`
	At      time.Time `java:"at,zone=GMT+8,format=yyyy-MM-dd HH:mm:ss"`
	Secret  *string   `java:"secret,json=-"`
}

func (Renamed) JavaClass() string { return dtos + "Renamed" }

// State is an enum.
type State string

func (State) JavaClass() string { return "enum " + dtos + "State {OPEN, PAID}" }

// Item is a line of a trade.
type Item struct {
	Name  string `java:"name"`
	Count *int32 `java:"count"`
}

func (Item) JavaClass() string { return dtos + "Item" }

// Trade has what orders have.
type Trade struct {
	ID        *int64              `java:"id"`
	Count     *int32              `java:"count"`
	Note      string              `java:"note"`
	Amount    *java.BigDecimal    `java:"amount"`
	CreatedAt time.Time           `java:"createdAt"`
	PayAt     *java.LocalDateTime `java:"payAt"`
	State     State               `java:"state"`
	Items     []Item              `java:"items"`
	More      map[string]any      `java:"more"`
}

func (Trade) JavaClass() string { return dtos + "Trade" }

// Event holds another payload.
type Event[T any] struct {
	Topic string              `java:"topic"`
	Body  T                   `java:"body,T"`
	At    *java.LocalDateTime `java:"at"`
}

func (Event[T]) JavaClass() string { return dtos + "Event<T>" }

// Close is JSON that the service makes.
type Close struct {
	OrderNumber int64     `json:"orderNumber"`
	At          time.Time `json:"at"`
	Note        string    `json:"note"`
}

// LocalClose has a time without a zone, too.
type LocalClose struct {
	Close
	Local time.Time `json:"local"`
}

var aText = twinOf[string]{name: "string", value: same("订单 #100 — paid? \"no\"")}

const largeID = int64(9007199254740993)

var (
	servedAt = time.UnixMilli(1704164645000).UTC()
	localAt  = java.LocalDateTime{Date: java.LocalDate{Year: 2024, Month: 1, Day: 2}, Time: java.LocalTime{Hour: 3, Minute: 4, Second: 5}}
)

func same[T any](v T) func() T { return func() T { return v } }

func visit() Visit {
	return Visit{
		Link: ptr("http://x.cn/abc"), User: ptr("u-1"), Address: ptr("127.0.0.1"), System: ptr("Linux"), Browser: ptr("Firefox"), Device: ptr("PC"),
		Network: ptr("WIFI"), FirstVisit: ptr(true), At: servedAt,
	}
}

func prize() Prize { return Prize{ptr(int64(100001)), ptr(int32(101))} }

func trade() Trade {
	return Trade{
		ID: ptr(largeID), Count: ptr(int32(2)), Note: "其他", Amount: ptr(decimal("10050", 2)), CreatedAt: servedAt, PayAt: &localAt, State: "PAID",
		Items: []Item{{"tea", ptr(int32(2))}}, More: map[string]any{"seller": largeID},
	}
}

// jsonObject is a map of a JSON library, with its entries in the order of that map.
func jsonObject(class string, order ...int) func() *java.Map {
	entries := []java.Entry{{Key: "couponId", Value: largeID}, {Key: "user", Value: "张三"}, {Key: "count", Value: int32(3)}}
	m := &java.Map{Class: class}
	for _, i := range order {
		m.Entries = append(m.Entries, entries[i])
	}
	return same(m)
}

// javaFails are the payloads that Java itself does not read back.
var javaFails = map[string]bool{
	"3.19.0 kryo5 @service.fastjson": true, "3.19.0 kryo5 @service.hutool": true, // Kryo 5.3 calls no constructor
	"3.19.0 jsonjackson @root.uuid": true, "3.45.1 jsonjackson @root.uuid": true, // it is its text
}

// service is the codec of a public service and what it offers by it.
type service struct {
	java  string // its codec
	codec codecs.Codec
	twins []twin
}

// servicesOf are the services, as of November 2026: the numbers are those of a study.
func servicesOf(b *bench, zone string) []service {
	kryo := kryo5.New(kryo5.Since(b.version))
	jacksons := func(m jackson.Mapper) codecs.Codec { return jackson.JsonJackson(jackson.Since(b.version), m) }
	const wrapper = "typing=NON_FINAL+dates=TIMESTAMPS+localdatetime=yyyy-MM-dd~HH:mm:ss"
	ruoyi := jackson.TypedJsonJackson(jackson.Since(b.version), jackson.Mapper{
		Typing: jackson.NonFinal, Dates: jackson.Timestamps, LocalDateTime: "yyyy-MM-dd HH:mm:ss",
	})
	const boot = "dates=TEXT+dateformat=yyyy-MM-dd~HH:mm:ss+timezone=Asia/Shanghai+longastext=TRUE"
	spring := jackson.Mapper{Dates: jackson.DateTexts, DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: "Asia/Shanghai", LongAsText: true}
	beans := []twin{
		twinOf[Unpaid]{name: "service.unpaid", value: same(Unpaid{"订单-4711"})},
		twinOf[Stock]{name: "service.stock", value: same(Stock{ptr(int64(9011)), ptr(largeID)})},
		twinOf[Prize]{name: "service.prize", value: prize},
		twinOf[Visit]{name: "service.visit", value: visit},
	}
	local := twinOf[LocalVisit]{name: "service.localVisit", value: same(LocalVisit{Link: ptr("http://x.cn/abc"), FirstVisit: ptr(false), At: &localAt})}
	scalars := []twin{
		aText,
		twinOf[int64]{name: "root.large", value: same(int64(1) << 40)},
		twinOf[int32]{name: "root.int", value: same(int32(42))},
		twinOf[java.UUID]{name: "root.uuid", value: same(java.UUID{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff})},
		twinOf[*string]{name: "null", value: same[*string](nil)},
	}
	annotated := []twin{
		twinOf[Task]{name: "service.task", value: same(Task{ptr(largeID), &localAt})},
		twinOf[Renamed]{name: "service.renamed", value: same(Renamed{OrderID: ptr(largeID), At: servedAt})},
	}
	event := twinOf[Event[any]]{
		name: "service.event", value: same(Event[any]{"draw", prize(), &localAt}), under: prizes, loose: true,
		register: []registry.Option{registry.JavaClass[Prize](Prize{}.JavaClass())},
	}
	whole := twinOf[Trade]{name: "service.trade", value: trade}
	objects := []twin{
		twinOf[*java.Map]{name: "service.fastjson", value: jsonObject("com.alibaba.fastjson.JSONObject", 2, 0, 1)},
		twinOf[*java.Map]{name: "service.fastjson2", value: jsonObject("com.alibaba.fastjson2.JSONObject", 0, 1, 2)},
		twinOf[*java.Map]{name: "service.hutool", value: jsonObject("cn.hutool.json.JSONObject", 0, 1, 2)},
	}
	return append(textServices(b, zone),
		service{java: "kryo5", codec: kryo, twins: slices.Concat(scalars, beans, objects, []twin{local, whole, event})},                                                      // 3 to 6, 13
		service{java: "composite(mapper(" + wrapper + "))", codec: ruoyi, twins: slices.Concat([]twin{aText, scalars[1], whole, local, event}, beans[1:])},                   // 2
		service{java: "jsonjackson", codec: jacksons(jackson.Mapper{}), twins: slices.Concat(scalars, beans[1:], annotated)},                                                 // 7 to 9, 12
		service{java: "jsonmapper(dates=TEXT)", codec: jacksons(jackson.Mapper{Dates: jackson.DateTexts}), twins: slices.Concat(beans[1:], annotated, []twin{local, event})}, // 10
		service{java: "jsonmapper(" + boot + ")", codec: jacksons(spring), twins: slices.Concat(beans[1:], annotated, []twin{local, whole, event})},
		service{java: "string", codec: codecs.String(), twins: []twin{aText}},
	)
}

var prizes = codecs.BindOptions{Classes: map[reflect.Type]string{reflect.TypeFor[Prize](): Prize{}.JavaClass()}}

// textServices make JSON by themselves.
func textServices(b *bench, zone string) []service {
	times := func(a, b LocalClose) bool {
		return a.At.Equal(b.At) && a.Local.Equal(b.Local) && a.OrderNumber == b.OrderNumber && a.Note == b.Note
	}
	at, err := time.LoadLocation(zone)
	if err != nil {
		panic(err)
	}
	v := Close{largeID, servedAt, "a < b & 'c'"}
	local := twinOf[LocalClose]{name: "service.localClose", value: same(LocalClose{v, localAt.GoTime(at)}), alike: times}
	plain := twinOf[Close]{name: "service.close", value: same(v), alike: func(a, b Close) bool { return times(LocalClose{Close: a}, LocalClose{Close: b}) }}
	texts := jackson.Mapper{DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: zone}
	spring := jackson.Mapper{Dates: jackson.DateTexts, LongAsText: true}
	var out []service
	for _, c := range []struct {
		library string
		mapper  jackson.Mapper
		twins   []twin
	}{
		{"fastjson", jackson.Mapper{Dates: jackson.Timestamps, TimeZone: zone}, []twin{plain, local}}, // 1
		{"fastjson2", texts, []twin{plain, local}},
		{"hutool", jackson.Mapper{Dates: jackson.Timestamps, TimeZone: zone}, []twin{plain, local}},
		{"gson", jackson.Mapper{DateFormat: "MMM d, yyyy, h:mm:ss a", TimeZone: zone}, []twin{plain}},
		{"spring", spring, []twin{plain}},
		{"springdates", jackson.Mapper{DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: "GMT+8", LongAsText: true}, []twin{plain}},
	} {
		inner := jackson.JSON(c.mapper)
		out = append(out,
			service{java: "text(kryo5," + c.library + ",@)", codec: codecs.Text(kryo5.New(kryo5.Since(b.version)), inner), twins: c.twins},
			service{java: "text(string," + c.library + ",@)", codec: inner, twins: c.twins})
	}
	return out
}

// payloadsOfRealServices: Go reads what Java offers, and Java takes what Go offers, equal to its
// own.
func payloadsOfRealServices(t testing.TB, b *bench) {
	var services []service
	switch {
	case b.version == "3.13.6": // 11
		services = []service{{"marshalling", marshalling.New(), []twin{aText}}}
	case slices.Contains(annotatedReleases, b.version):
		zone, _ := b.jvm.SampleValue(t, "service.zone").(string)
		services = servicesOf(b, zone)
	default:
		return
	}
	client, java := rig.Open(t, b.srv.URL()), b.jvm.Open(t, b.srv.URL())
	var all []beanOnQueue
	var consumers []framework.Consumer
	for _, s := range services {
		f := format{java: s.java, codec: s.codec, foreign: strings.HasPrefix(s.java, "text(")}
		for _, w := range s.twins {
			w.bytes(t, b, f)
			v := w.declare(t, f)
			verdict, fails := b.jvm.ReadBack(t, f.asked(w.sample()), w.sample()), javaFails[b.version+" "+s.java+" "+string(w.sample())]
			if (verdict != jvm.ReadsEqual) != fails || v == nil {
				t.Errorf("%s, %s: Java itself: %s", w.sample(), s.java, verdict)
			}
			if fails || v == nil {
				continue
			}
			all = append(all, beanOnQueue{w, v, java.Queue(t, f.asked(w.sample()), v.Key()), jvm.ReadsEqual})
			consumers = append(consumers, v.consume())
		}
	}
	for _, q := range all {
		q.java.Offer(t, q.sample(), soon)
	}
	engine := rig.Run(t, client, consumers...)
	for _, q := range all {
		q.await(t, true)
	}
	rig.Stop(t, engine)
	for _, q := range all {
		q.offer(t, client, soon)
	}
	for _, q := range all {
		if taken, err := q.java.TryTake(t, patient, q.sample()); err != nil || !taken.Equal {
			t.Errorf("%s: Java took %+v, %v", q.Key(), taken.Value, err)
		}
	}
}
