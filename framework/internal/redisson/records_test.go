package redisson

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRecordsGolden(t *testing.T) {
	t.Parallel()
	due := DueRecord{ID: ElementID{KindFirst, [8]byte([]byte("\x07abcdefg"))}, DueMs: 1700000000000, WrittenMs: 1700000000001}
	const head = "u00017000000000000001700000000001\x07abcdefg"
	if got := string(due.Append(nil)); got != head {
		t.Errorf("due: %q", got)
	}
	trace := TraceRecord{DueRecord: due, ExpiryMs: 1700000086400}
	copy(trace.Context[:], "0123456789abcdefSPANSPAN\x01")
	if got := string(trace.Append(nil)); got != head+"0123456789abcdefSPANSPAN\x010001700000086400" || len(got) != 82 {
		t.Errorf("trace: %q", got)
	}
}

func drawDue(t *rapid.T) DueRecord {
	return DueRecord{
		ID: ElementID{
			Kind: rapid.SampledFrom([]byte{KindFirst, KindJava, KindOther}).Draw(t, "kind"),
			Raw:  [8]byte(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(t, "raw")),
		},
		DueMs:     rapid.Int64Range(0, MaxDueMs-1).Draw(t, "due"),
		WrittenMs: rapid.Int64Range(0, MaxDueMs-1).Draw(t, "written"),
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var dues, traces []byte
		var wantDue []DueRecord
		var wantTrace []TraceRecord
		for range rapid.IntRange(0, 4).Draw(t, "n") {
			d := drawDue(t)
			r := TraceRecord{DueRecord: d, ExpiryMs: rapid.Int64Range(0, MaxDueMs).Draw(t, "expiry")}
			copy(r.Context[:], rapid.SliceOfN(rapid.Byte(), 25, 25).Draw(t, "context"))
			dues, traces = d.Append(dues), r.Append(traces)
			wantDue, wantTrace = append(wantDue, d), append(wantTrace, r)
		}
		gotDue, err1 := ParseDueRecords(dues)
		gotTrace, err2 := ParseTraceRecords(traces)
		if err1 != nil || err2 != nil || len(gotDue) != len(wantDue) {
			t.Fatal(err1, err2)
		}
		for i := range wantDue {
			if gotDue[i] != wantDue[i] || gotTrace[i] != wantTrace[i] {
				t.Fatalf("record %d: %+v %+v", i, gotDue[i], gotTrace[i])
			}
		}
	})
}

func TestRecordsRefuse(t *testing.T) {
	t.Parallel()
	good := DueRecord{ID: ElementID{Kind: KindFirst}}.Append(nil)
	goodTrace := TraceRecord{DueRecord: DueRecord{ID: ElementID{Kind: KindFirst}}}.Append(nil)
	mangle := func(b []byte, at int, c byte) []byte {
		b = bytes.Clone(b)
		b[at] = c
		return b
	}
	for name, value := range map[string][]byte{
		"short": good[:40], "kind": mangle(good, 0, 'z'), "due": mangle(good, 3, '-'), "written": mangle(good, 20, ' '),
	} {
		var e *RecordError
		if _, err := ParseDueRecords(value); !errors.As(err, &e) || e.Record != "due" || e.Error() == "" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for name, value := range map[string][]byte{
		"short": goodTrace[:81], "kind": mangle(goodTrace, 0, 'z'), "expiry": mangle(goodTrace, 81, 'x'),
	} {
		var e *RecordError
		if _, err := ParseTraceRecords(value); !errors.As(err, &e) || e.Record != "trace" {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzParseRecords(f *testing.F) {
	d := DueRecord{ID: ElementID{KindJava, [8]byte{1, 2, 3}}, DueMs: 1, WrittenMs: 2}
	f.Add(d.Append(nil))
	f.Add(d.Append(d.Append(nil)))
	f.Add(TraceRecord{DueRecord: d, ExpiryMs: 3}.Append(nil))
	f.Add([]byte(strings.Repeat("0", 41)))
	f.Fuzz(func(t *testing.T, value []byte) {
		if records, err := ParseDueRecords(value); err == nil {
			var again []byte
			for _, r := range records {
				again = r.Append(again)
			}
			if !bytes.Equal(again, value) {
				t.Fatalf("%q writes as %q", value, again)
			}
		}
		if records, err := ParseTraceRecords(value); err == nil {
			var again []byte
			for _, r := range records {
				again = r.Append(again)
			}
			if !bytes.Equal(again, value) {
				t.Fatalf("%q writes as %q", value, again)
			}
		}
	})
}

// Digest, due field and attempts field are the same in Go and in Lua.
func TestDigestsLuaAgree(t *testing.T) {
	t.Parallel()
	script := NewScript("digests", Fragment("digest", "records", "due")+
		`return {digest(ARGV[1]), due_field(ARGV[1]), redis.sha1hex(ARGV[1])}`)
	onBoth(t, func(t *testing.T, s server) {
		for _, size := range []int{0, 1, 511, 512, 513, 4095, 4096, 4097, 100_000} {
			payload := bytes.Repeat([]byte("a\x00\xffz"), size/4+1)[:size]
			got := must[any](t)(script.Run(t.Context(), s.rdb, nil, payload)).([]any)
			if got[0] != Digest(payload) || got[1] != DueField(payload) || got[2] != AttemptsField(payload) {
				t.Errorf("%d bytes: Lua %q", size, got)
			}
		}
	})
}

func TestDigestGolden(t *testing.T) {
	t.Parallel()
	// printf 'hello5' | sha1sum
	if got := Digest([]byte("hello")); got != "afee8cb6e87492cc3d6bf07e1c387cc8845b4177" {
		t.Errorf("got %s", got)
	}
	a, b := bytes.Repeat([]byte{1}, 5000), bytes.Repeat([]byte{1}, 5001)
	if Digest(a) == Digest(b) {
		t.Error("the length does not count")
	}
}
