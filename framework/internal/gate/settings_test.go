package gate

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestSettingsValidate(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		s    Settings
		want []string
	}{
		"zero":               {Settings{}, nil},
		"all set":            {Settings{Failures: 1, OpenFor: time.Second, MaxOpenFor: time.Second, ProbeDeadline: 1, Undecodable: -1}, nil},
		"all mistakes":       {Settings{Failures: -1, OpenFor: 1, MaxOpenFor: -1, ProbeDeadline: -1, Undecodable: -2}, []string{"failures", "open-for", "max-open-for", "probe-deadline", "undecodable"}},
		"rate without burst": {Settings{Rate: 1}, []string{"burst is 0: give 1 or more"}},
		"rate of nothing":    {Settings{Rate: math.NaN(), Burst: -1}, []string{"rate is NaN: give messages per second", "burst is -1"}},
		"rate without end":   {Settings{Rate: math.Inf(1), Burst: 1}, []string{"rate is +Inf"}},
		"limited":            {Settings{Rate: 0.5, Burst: 1}, nil},
		"max below first":    {Settings{OpenFor: time.Minute, MaxOpenFor: time.Second}, []string{"max-open-for is 1s"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := tt.s.Validate()
			if (err != nil) != (len(tt.want) > 0) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in %q", w, err)
				}
			}
		})
	}
}

func TestSettingsDefaults(t *testing.T) {
	t.Parallel()
	got := Settings{}.withDefaults()
	want := Settings{Failures: 4, OpenFor: 300 * time.Millisecond, MaxOpenFor: 45 * time.Second, ProbeDeadline: 70 * time.Second, Undecodable: 10}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (Settings{OpenFor: time.Hour}).withDefaults().MaxOpenFor; got != time.Hour {
		t.Errorf("bound below the first step: %v", got)
	}
	if got := (Settings{Rate: math.NaN(), Burst: 3}).withDefaults(); got.Rate != 0 {
		t.Errorf("rate %v", got.Rate)
	}
	if got := (Settings{Rate: 2}).withDefaults(); got.Rate != 2 || got.Burst != 1 {
		t.Errorf("rate %v, burst %d", got.Rate, got.Burst)
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	if got := Closed.String() + HalfOpen.String() + Open.String() + State(9).String(); got != "closedhalf-openopenunknown" {
		t.Errorf("%s, want closed, half-open, open, unknown", got)
	}
	g, _ := newGate(t, Settings{})
	if got := g.Snapshot().LastError; got != nil {
		t.Errorf("of no error: %q", got)
	}
}
