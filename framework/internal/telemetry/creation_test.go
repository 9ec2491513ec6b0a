package telemetry

import (
	"bytes"
	"testing"

	"go.opentelemetry.io/otel/trace"
)

func spanContext(flags trace.TraceFlags) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID:    trace.TraceID{1, 2, 3, 15: 16},
		SpanID:     trace.SpanID{1, 7: 8},
		TraceFlags: flags, Remote: true,
	})
}

func TestCreationRoundTrip(t *testing.T) {
	t.Parallel()
	for _, short := range []bool{true, false} {
		for _, flags := range []trace.TraceFlags{1, 3} {
			b := Creation{Context: spanContext(flags), Short: short}.Encode()
			if len(b) != CreationSize {
				t.Fatalf("%d bytes", len(b))
			}
			got, ok := DecodeCreation(b)
			if !ok || !got.Context.Equal(spanContext(flags)) || got.Short != short {
				t.Errorf("%+v", got)
			}
		}
	}
}

func TestCreationBytes(t *testing.T) {
	t.Parallel()
	got := Creation{Context: spanContext(1)}.Encode()
	want := append(append([]byte{1, 2, 3, 15: 16}, 1, 0, 0, 0, 0, 0, 0, 8), 1)
	if !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if (Creation{Context: spanContext(0)}).Encode() != nil || (Creation{}).Encode() != nil {
		t.Error("an unsampled or empty context is written")
	}
}

func TestDecodeCreationRefuses(t *testing.T) {
	t.Parallel()
	for name, b := range map[string][]byte{
		"nothing": nil, "short": make([]byte, 24), "long": make([]byte, 26), "zero": make([]byte, 25),
		"no span id": append(bytes.Repeat([]byte{1}, 16), make([]byte, 9)...),
	} {
		t.Run(name, func(t *testing.T) {
			if c, ok := DecodeCreation(b); ok || c.Context.IsValid() {
				t.Errorf("decoded as %+v, want a refusal", c)
			}
		})
	}
}

func TestTraceparent(t *testing.T) {
	t.Parallel()
	const good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	tests := map[string]struct {
		in string
		ok bool
	}{
		"good":                   {good, true},
		"not sampled":            {good[:53] + "00", true},
		"later version":          {"cc" + good[2:], true},
		"later version and more": {"cc" + good[2:] + "-what-the-future-holds", true},
		"empty":                  {"", false},
		"cut":                    {good[:54], false},
		"00 and more":            {good + "-x", false},
		"later, no dash":         {"cc" + good[2:] + "x", false},
		"version ff":             {"ff" + good[2:], false},
		"upper case":             {"00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
		"not hex":                {"00-0zf7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
		"zero trace":             {"00-00000000000000000000000000000000-b7ad6b7169203331-01", false},
		"zero span":              {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
		"dashes elsewhere":       {"00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			sc, ok := ParseTraceparent(tt.in)
			if ok != tt.ok {
				t.Errorf("valid: %v, want %v", ok, tt.ok)
			}
			if ok && (!sc.IsRemote() || FormatTraceparent(sc) != "00"+tt.in[2:55]) {
				t.Errorf("%+v is written %s, want remote and 00%s", sc, FormatTraceparent(sc), tt.in[2:55])
			}
		})
	}
	if FormatTraceparent(trace.SpanContext{}) != "" {
		t.Error("text of nothing")
	}
}

func FuzzParseTraceparent(f *testing.F) {
	f.Add("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	f.Add("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff-more")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		sc, ok := ParseTraceparent(s)
		if !ok {
			return
		}
		again, ok := ParseTraceparent(FormatTraceparent(sc))
		if !ok || !again.Equal(sc) {
			t.Errorf("%q does not survive: %+v, %+v", s, sc, again)
		}
	})
}

func FuzzDecodeCreation(f *testing.F) {
	f.Add(Creation{Context: spanContext(1), Short: true}.Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, ok := DecodeCreation(b)
		if !ok || !c.Context.IsSampled() {
			return
		}
		again, ok := DecodeCreation(c.Encode())
		if !ok || !again.Context.Equal(c.Context) || again.Short != c.Short {
			t.Errorf("%x does not survive", b)
		}
	})
}
