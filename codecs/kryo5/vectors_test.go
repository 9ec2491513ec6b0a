package kryo5

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

type vector struct {
	config, label, readback string
	payload                 []byte
}

// vectors reads what Java wrote; see testdata/README.md.
func vectors(tb testing.TB) []vector {
	tb.Helper()
	text, err := os.ReadFile("testdata/vectors.tsv")
	if err != nil {
		tb.Fatal(err)
	}
	var out []vector
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 4 || f[0] == "config" || f[2] == "" {
			continue
		}
		payload, err := hex.DecodeString(f[2])
		if err != nil {
			tb.Fatalf("%s: %v", f[1], err)
		}
		out = append(out, vector{config: f[0], label: f[1], payload: payload, readback: f[3]})
	}
	return out
}

// foreign are the labels whose classes this codec does not carry, with the class
// the error must name.
var foreign = map[string]string{
	"short[]": "[S", "int[]": "[I", "long[]": "[J", "float[]": "[F",
	"String[]": "[Ljava.lang.String;", "Object[]": "[Ljava.lang.Object;",
	"Inner[]": "[Ldemo.B$Inner;", "FinalInner[]": "[Ldemo.B$FinalInner;",
	"Class String": "java.lang.Class", "Class ArrayList": "java.lang.Class",
	"enumBody": "demo.B$Op$2", "EnumSet": "java.util.RegularEnumSet", "EnumSetEmpty": "java.util.RegularEnumSet",
	"list enumBody": "demo.B$Op$1", "AL subclass": "demo.B$AL", "TreeMap rev": "java.util.Collections$ReverseComparator",
	"TimeZone": "sun.util.calendar.ZoneInfo", "Locale": "java.util.Locale", "Locale en": "java.util.Locale",
	"Locale ROOT": "java.util.Locale", "Locale zh-Hans": "java.util.Locale", "Charset": "sun.nio.cs.UTF_8",
	"UUID": "java.util.UUID", "Pattern": "java.util.regex.Pattern", "BitSet": "java.util.BitSet", "BitSet empty": "java.util.BitSet",
	"AtomicBoolean":   "java.util.concurrent.atomic.AtomicBoolean",
	"AtomicInteger":   "java.util.concurrent.atomic.AtomicInteger",
	"AtomicLong":      "java.util.concurrent.atomic.AtomicLong",
	"AtomicReference": "java.util.concurrent.atomic.AtomicReference",
	"ZoneOffset odd":  "java.time.ZoneOffset", "ZoneOffset-3": "java.time.ZoneOffset", "ZoneId": "java.time.ZoneRegion",
	"OffsetDateTime": "java.time.OffsetDateTime", "ZonedDateTime": "java.time.ZonedDateTime", "MonthDay": "java.time.MonthDay",
	"DayOfWeek": "java.time.DayOfWeek", "TimeUnit": "java.util.concurrent.TimeUnit", "Optional": "java.util.Optional",
	"OptionalInt empty": "java.util.OptionalInt", "OptionalLong": "java.util.OptionalLong", "Object": "java.lang.Object",
	"Throwable": "demo.B$Thr", "InetAddress": "java.net.Inet4Address", "anon": "Main$1",
	"Order nulls": "demo.Order", "Order": "demo.Order", "Types": "demo.B$Types", "Box": "demo.B$Box", "Outer": "demo.B$Outer",
	"UseGA": "demo.B$UseGA", "UseRes": "Main2$UseRes", "UsePage": "Main2$UsePage", "Ent": "Main2$Ent", "Ann": "Main2$Ann",
	"HT": "Main4$HT", "HS": "Main4$HS", "Sub top": "Main4$Sub", "TSL": "Main4$TSL", "cn": "Main4$订单",
	"field List<String>=ArrayList*70": "Main5$IL", "zero-width elements": "java.lang.Object",
	"unmodList":        "java.util.Collections$UnmodifiableRandomAccessList",
	"unmodMap":         "java.util.Collections$UnmodifiableMap",
	"list of 2 unmod":  "java.util.Collections$UnmodifiableRandomAccessList",
	"list unmod mixed": "java.util.Collections$UnmodifiableRandomAccessList",
}

func TestVectors(t *testing.T) {
	t.Parallel()
	codec := New()
	carried := 0
	for _, v := range vectors(t) {
		t.Run(v.config+"/"+v.label, func(t *testing.T) {
			value, err := codec.Decode(v.payload)
			if class, ok := foreign[v.label]; ok {
				var e *codecs.DecodeError
				if !errors.As(err, &e) || e.Class != class || e.Offset < 0 || e.Reason == "" {
					t.Fatalf("got %v, error %v; want an error naming %s", value, err, class)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			carried++
			got, err := codec.Encode(value)
			if v.readback == "READFAIL" {
				var e *codecs.EncodeError
				if !errors.As(err, &e) {
					t.Fatalf("Java cannot read this class, yet it is written: %x, %v", got, err)
				}
				return
			}
			if err != nil || !bytes.Equal(got, v.payload) {
				t.Errorf("encoded again: %x, %v\nJava wrote:    %x", got, err, v.payload)
			}
		})
	}
	if carried < 85 {
		t.Errorf("only %d vectors carried", carried)
	}
}

// TestVectorsCutShort reads every prefix and every single changed byte of short
// vectors: none may panic, and a prefix is never a value.
func TestVectorsCutShort(t *testing.T) {
	t.Parallel()
	codec := New()
	for _, v := range vectors(t) {
		if len(v.payload) > 200 {
			continue
		}
		for n := range v.payload {
			if value, err := codec.Decode(v.payload[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are %v", v.label, n, len(v.payload), value)
			}
			changed := bytes.Clone(v.payload)
			for _, mask := range []byte{0x01, 0x40, 0x80, 0xff} {
				changed[n] = v.payload[n] ^ mask
				checkStable(t, codec, changed)
			}
		}
	}
}
