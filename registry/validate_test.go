package registry_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/registry"
)

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 512)
	for name, c := range map[string]struct{ text, reason string }{
		"plain":           {"ORDER_PAYMENT_TIMEOUT", ""},
		"with separators": {"order:payment.timeout/v2", ""},
		"with braces":     {"{order}:timeout", ""},
		"not ASCII":       {"订单超时", ""},
		"a space inside":  {"order timeout", ""},
		"longest":         {long, ""},
		"empty":           {"", "it is empty"},
		"too long":        {long + "x", "it is 513 bytes long, at most 512 are allowed"},
		"not UTF-8":       {"order\xff", "it is not valid UTF-8"},
		"newline":         {"order\n", "it has a control character at byte 5"},
		"escape":          {"a\x1b[31m", "it has a control character at byte 1"},
		"zero byte":       {"\x00", "it has a control character at byte 0"},
		"space before":    {" order", "it begins or ends with a space"},
		"space after":     {"order ", "it begins or ends with a space"},
		"odd space after": {"order\u00a0", "it begins or ends with a space"},
		"only a space":    {" ", "it begins or ends with a space"},
		"C1 control":      {"a\u0085b", "it has a control character at byte 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(what string, err error) {
				t.Helper()
				var ne *registry.NameError
				switch {
				case c.reason == "" && err == nil:
				case c.reason == "" || !errors.As(err, &ne):
					t.Errorf("%s: got %v", what, err)
				case ne.Reason != c.reason || ne.What != what || ne.Name != c.text || ne.Declared == "":
					t.Errorf("%s: got %+v", what, ne)
				}
			}
			check("code", err[string](c.text, "", registry.Codec(fake)))
			check("key", err[string]("A", "", registry.Codec(fake), registry.Key(c.text)))
			if c.text != "" {
				check("title", err[string]("A", c.text, registry.Codec(fake)))
			}
		})
	}
}

// negative is a schedule that works for a while.
func negative(attempt int, _ float64) time.Duration { return time.Duration(10 - attempt) }

func panicking(attempt int, _ float64) time.Duration { return [3]time.Duration{}[attempt] }

func TestOptionMistakes(t *testing.T) {
	t.Parallel()
	var nilCodec *fakeCodec
	small := &fakeCodec{limits: codecs.Limits{Bytes: 1000}}
	for name, c := range map[string]struct {
		opts           []registry.Option
		option, reason string
	}{
		"nil option":         {[]registry.Option{nil}, "nil", "an option must not be nil"},
		"nil codec":          {[]registry.Option{registry.Codec(nil)}, "Codec(nil)", "the codec must not be nil"},
		"typed nil codec":    {[]registry.Option{registry.Codec(nilCodec)}, "Codec(nil)", "the codec must not be nil"},
		"payload zero":       {[]registry.Option{registry.MaxPayload(0)}, "MaxPayload(0)", "must be positive"},
		"payload negative":   {[]registry.Option{registry.MaxPayload(-1)}, "MaxPayload(-1)", "must be positive"},
		"payload over codec": {[]registry.Option{registry.Codec(small), registry.MaxPayload(1001)}, "MaxPayload(1001)", "codec fake reads at most 1000 bytes: raise its limit too"},
		"partitions zero":    {[]registry.Option{registry.Partitions(0)}, "Partitions(0)", "must be from 1 to 256"},
		"partitions many":    {[]registry.Option{registry.Partitions(257)}, "Partitions(257)", "must be from 1 to 256"},
		"other negative":     {[]registry.Option{registry.OtherPartitions(-4)}, "OtherPartitions(-4)", "must be from 1 to 256"},
		"attempts zero":      {[]registry.Option{registry.MaxAttempts(0)}, "MaxAttempts(0)", "must be at least 1; use registry.Unlimited for retries without end"},
		"attempts negative":  {[]registry.Option{registry.MaxAttempts(-1)}, "MaxAttempts(-1)", "must be at least 1; use registry.Unlimited for retries without end"},
		"attempts huge":      {[]registry.Option{registry.MaxAttempts(registry.Unlimited + 1)}, "MaxAttempts(2147483648)", "must be at least 1; use registry.Unlimited for retries without end"},
		"timeout zero":       {[]registry.Option{registry.Timeout(0)}, "Timeout(0s)", "must be at least 1ms: every handler has a limit"},
		"timeout unitless":   {[]registry.Option{registry.Timeout(30)}, "Timeout(30ns)", "must be at least 1ms: every handler has a limit"},
		"grace negative":     {[]registry.Option{registry.Grace(-1)}, "Grace(-1ns)", "must not be negative"},
		"child negative":     {[]registry.Option{registry.ChildWithin(-time.Second)}, "ChildWithin(-1s)", "must not be negative"},
		"skip negative":      {[]registry.Option{registry.CallerSkip(-1)}, "CallerSkip(-1)", "must not be negative"},
		"backoff nil":        {[]registry.Option{registry.Backoff(nil)}, "Backoff(nil)", "the schedule must not be nil"},
		"backoff nil func":   {[]registry.Option{registry.Backoff(registry.ScheduleFunc(nil))}, "Backoff(nil)", "the schedule must not be nil"},
		"backoff zero base":  {[]registry.Option{registry.Backoff(registry.Exponential(0, time.Minute))}, "Backoff(Exponential(0s, 1m0s))", "the base must be positive"},
		"backoff low limit":  {[]registry.Option{registry.Backoff(registry.Exponential(time.Minute, time.Second))}, "Backoff(Exponential(1m0s, 1s))", "the limit must not be below the base"},
		"backoff no step":    {[]registry.Option{registry.Backoff(registry.Steps())}, "Backoff(Steps())", "no step given"},
		"backoff bad step":   {[]registry.Option{registry.Backoff(registry.Steps(1, -1))}, "Backoff(Steps(1ns, -1ns))", "it gives the negative delay -1ns for attempt 2"},
		"backoff negative":   {[]registry.Option{registry.Backoff(registry.ScheduleFunc(negative))}, "Backoff(ScheduleFunc)", "it gives the negative delay -90ns for attempt 100"},
		"backoff panics":     {[]registry.Option{registry.Backoff(registry.ScheduleFunc(panicking))}, "Backoff(ScheduleFunc)", "it panics for attempt 3: runtime error: index out of range [3] with length 3"},
		"timeout twice":      {[]registry.Option{registry.Timeout(time.Second), registry.Timeout(time.Minute)}, "Timeout(1m0s)", "given twice: which one counts?"},
		"trace twice":        {[]registry.Option{registry.TraceInBand(), registry.TraceInBand()}, "TraceInBand()", "given twice: which one counts?"},
		"skip twice":         {[]registry.Option{registry.CallerSkip(0), registry.CallerSkip(0)}, "CallerSkip(0)", "given twice: which one counts?"},

		"class twice":        {[]registry.Option{registry.JavaClass[Money]("a.B"), registry.JavaClass[*Money]("a.C")}, `JavaClass[*registry_test.Money]("a.C")`, "given twice: which one counts?"},
		"class of interface": {[]registry.Option{registry.JavaClass[error]("a.B")}, `JavaClass[error]("a.B")`, "an interface has no class: name the types that implement it"},
		"class of int":       {[]registry.Option{registry.JavaClass[int]("a.B")}, `JavaClass[int]("a.B")`, "only a defined type can stand for a Java class"},
		"class of map":       {[]registry.Option{registry.JavaClass[map[string]any]("a.B")}, `JavaClass[map[string]interface {}]("a.B")`, "only a defined type can stand for a Java class"},
		"class empty":        {[]registry.Option{registry.JavaClass[Money]("")}, `JavaClass[registry_test.Money]("")`, "not a Java class name: an empty part"},
		"class with slashes": {[]registry.Option{registry.JavaClass[Money]("a/B")}, `JavaClass[registry_test.Money]("a/B")`, "Java class names have dots, not slashes"},
		"class with a gap":   {[]registry.Option{registry.JavaClass[Money]("a..B")}, `JavaClass[registry_test.Money]("a..B")`, "not a Java class name: an empty part"},
		"class with a digit": {[]registry.Option{registry.JavaClass[Money]("a.1B")}, `JavaClass[registry_test.Money]("a.1B")`, `not a Java class name: '1' at "1B"`},
		"class declaration":  {[]registry.Option{registry.JavaClass[Money]("enum a.B {X")}, `JavaClass[registry_test.Money]("enum a.B {X")`, `Java class "enum a.B {X": at character 12: expected , or }`},
		"class of an array":  {[]registry.Option{registry.JavaClass[Money]("[La.B;")}, `JavaClass[registry_test.Money]("[La.B;")`, `not a Java class name: '[' at "[La"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := c.opts
			if !strings.Contains(name, "codec") {
				opts = append([]registry.Option{registry.Codec(fake)}, opts...)
			}
			all := each(err[any]("A", "", opts...))
			var oe *registry.OptionError
			if len(all) != 1 || !errors.As(all[0], &oe) {
				t.Fatalf("got %v, want one OptionError", all)
			}
			if oe.Code != "A" || oe.Option != c.option || oe.Reason != c.reason || !strings.Contains(oe.Declared, "define_test.go:") {
				t.Errorf("got  %+v\nwant %s: %s", oe, c.option, c.reason)
			}
		})
	}
}

type tree struct {
	Left, Right *tree
	Tags        map[Item][]Money
}

func TestJavaClassMustOccur(t *testing.T) {
	t.Parallel()
	money := registry.JavaClass[Money]("com.example.Money")
	for name, c := range map[string]struct {
		err error
		ok  bool
	}{
		"itself":        {err[Money]("A", "", registry.Codec(fake), money), true},
		"in a list":     {err[[]Money]("A", "", registry.Codec(fake), money), true},
		"deep inside":   {err[*Order]("A", "", registry.Codec(fake), money), true},
		"in a map":      {err[tree]("A", "", registry.Codec(fake), money), true},
		"as a map key":  {err[tree]("A", "", registry.Codec(fake), registry.JavaClass[Item]("a.B")), true},
		"in an any":     {err[map[string]any]("A", "", registry.Codec(fake), money), true},
		"a stranger":    {err[Order]("A", "", registry.Codec(fake), registry.JavaClass[Stranger]("a.B")), false},
		"in a circle":   {err[tree]("A", "", registry.Codec(fake), registry.JavaClass[Stranger]("a.B")), false},
		"in no string":  {err[string]("A", "", registry.Codec(fake), money), false},
		"in a pointer":  {err[**Money]("A", "", registry.Codec(fake), money), true},
		"in an array":   {err[[2]Item]("A", "", registry.Codec(fake), money), true},
		"func is blind": {err[func()]("A", "", registry.Codec(fake), money), false},
	} {
		t.Run(name, func(t *testing.T) {
			if (c.err == nil) != c.ok {
				t.Errorf("got %v, want no error: %v", c.err, c.ok)
			}
		})
	}
}

func TestCodecMistakes(t *testing.T) {
	t.Parallel()
	first := &codecs.BindError{Codec: "fake", Type: reflect.TypeFor[Money](), Path: "Price", Reason: "is it long or Long?"}
	second := &codecs.BindError{Codec: "fake", Path: "ID", Reason: "no such"}
	q := registry.Define[Order]("A", "", registry.Codec(&fakeCodec{bindErr: errors.Join(first, errors.Join(second))}))
	all := each(q.Err())
	if len(all) != 2 {
		t.Fatalf("got %v, want both errors of the codec", all)
	}
	for i, want := range []*codecs.BindError{first, second} {
		var pe *registry.PayloadError
		if !errors.As(all[i], &pe) || pe.Code != "A" || pe.Type != reflect.TypeFor[Order]() || pe.Declared != q.Declared() {
			t.Errorf("got %+v, want the place of the declaration", all[i])
		}
		if !errors.Is(all[i], error(want)) {
			t.Errorf("%v does not wrap %v", all[i], want)
		}
	}

	broken := err[Order]("A", "", registry.Codec(&fakeCodec{bindDies: true}))
	if broken == nil || !strings.Contains(broken.Error(), "the codec panicked: no plan") {
		t.Errorf("got %v, want that the codec panicked", broken)
	}
	plain := err[Order]("A", "", registry.Codec(&fakeCodec{bindErr: io.EOF}))
	if !errors.Is(plain, io.EOF) {
		t.Errorf("got %v, want EOF", plain)
	}
}

func TestValidateAgainstEachOther(t *testing.T) {
	t.Parallel()
	a := registry.Define[string]("A", "", registry.Codec(fake))
	sameCode := registry.Define[int64]("A", "", registry.Codec(fake), registry.Key("other"))
	sameKey := registry.Define[string]("B", "", registry.Codec(fake), registry.Key("A"))
	braced := registry.Define[string]("{A}", "", registry.Codec(fake))

	var code *registry.DuplicateCodeError
	if e := registry.Validate(a, sameCode); !errors.As(e, &code) || len(each(e)) != 1 ||
		*code != (registry.DuplicateCodeError{Code: "A", First: a.Declared(), Second: sameCode.Declared()}) {
		t.Errorf("same code: %v", e)
	}
	if e := registry.Validate(a, a); !errors.As(e, &code) || !strings.Contains(e.Error(), `queue "A" is listed twice (declared at `) {
		t.Errorf("listed twice: %v", e)
	}
	var key *registry.DuplicateKeyError
	if e := registry.Validate(a, sameKey); !errors.As(e, &key) || len(each(e)) != 1 ||
		*key != (registry.DuplicateKeyError{Key: "A", FirstCode: "A", SecondCode: "B", First: a.Declared(), Second: sameKey.Declared()}) {
		t.Errorf("same key: %v", e)
	}
	for _, ds := range [][2]registry.Descriptor{{a, braced}, {braced, a}} {
		var twin *registry.TwinError
		if e := registry.Validate(ds[0], ds[1]); !errors.As(e, &twin) || len(each(e)) != 1 ||
			twin.FirstCode != ds[0].Code() || twin.SecondKey != ds[1].Key() || twin.Second != ds[1].Declared() {
			t.Errorf("twins: %v", e)
		}
	}
}

func TestTwins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b  string
		twins bool
	}{
		"plain and braced":   {"q", "{q}", true},
		"odd end":            {"q}", "{q}}", true},
		"braced part":        {"q:x", "{q}:x", false},
		"twice braced":       {"{q}", "{{q}}", false},
		"others":             {"q", "{r}", false},
		"brace inside":       {"a{q}", "{a{q}}", false},
		"different branches": {"{q}:a", "{q}:b", false},
	} {
		t.Run(name, func(t *testing.T) {
			a := registry.Define[string]("A", "", registry.Codec(fake), registry.Key(c.a))
			b := registry.Define[string]("B", "", registry.Codec(fake), registry.Key(c.b))
			if got := registry.Validate(a, b) != nil; got != c.twins {
				t.Errorf("twins: %v, want %v", got, c.twins)
			}
		})
	}
}

func TestValidateNothingAndNil(t *testing.T) {
	t.Parallel()
	if e := registry.Validate(); e != nil {
		t.Errorf("nothing: %v", e)
	}
	var none *registry.Queue[string]
	e := registry.Validate(nil, none, &registry.Queue[string]{})
	if got := len(each(e)); got != 3 {
		t.Errorf("%d errors: %v", got, e)
	}
}

// What a user sees when much is wrong: everything, each with its place.
func TestValidateReportsAllTogether(t *testing.T) {
	t.Parallel()
	good := registry.Define[string]("GOOD", "", registry.Codec(fake)) // the first place
	worst := registry.Define[string]("", "bell\a", registry.Codec(nil), registry.Timeout(-1), registry.MaxPayload(-1))
	again := registry.Define[string]("GOOD", "", registry.Codec(fake))
	twin := registry.Define[string]("TWIN", "", registry.Codec(fake), registry.Key("{GOOD}"))

	e := registry.Validate(good, worst, again, twin)
	lines := strings.Split(short(e), "\n")
	line := func(q registry.Descriptor) string {
		_, after, _ := strings.Cut(q.Declared(), "validate_test.go")
		return "at validate_test.go" + after
	}
	want := []string{
		`queue "": option Codec(nil): the codec must not be nil (declared ` + line(worst) + `)`,
		`queue "": option Timeout(-1ns): must be at least 1ms: every handler has a limit (declared ` + line(worst) + `)`,
		`queue "": option MaxPayload(-1): must be positive (declared ` + line(worst) + `)`,
		`queue code "": it is empty (declared ` + line(worst) + `)`,
		`queue "": title "bell\a": it has a control character at byte 4 (declared ` + line(worst) + `)`,
		`queue "GOOD" is declared twice, first ` + line(good) + ` (declared ` + line(again) + `)`,
		`queue "TWIN": its key "{GOOD}" shares its delayed messages with key "GOOD" of queue "GOOD" ` + line(good) + `: rename one (declared ` + line(twin) + `)`,
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
