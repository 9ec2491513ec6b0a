package option_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs/internal/option"
)

func TestParseRelease(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]option.Release{"3.45": {3, 45, 0}, "3.45.1": {3, 45, 1}, "4.7.0": {4, 7, 0}, "0.0": {}} {
		if got, err := option.ParseRelease(text); got != want || err != nil {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "4", "4.", ".4", "4.7.0.1", "+4.7", "4.-7", "4.7-SNAPSHOT", " 4.7", "4.1048576"} {
		if got, err := option.ParseRelease(text); got != (option.Release{}) || err == nil || !strings.Contains(err.Error(), "write it as 3.45.1") {
			t.Errorf("%q is %v, %v; want an error that shows the form", text, got, err)
		}
	}
}

func TestReleaseOrder(t *testing.T) {
	t.Parallel()
	ascending := []option.Release{{}, {3, 9, 9}, {3, 10, 0}, {3, 10, 1}, {4, 0, 0}, option.Newest}
	for i, a := range ascending {
		for j, b := range ascending {
			if a.Before(b) != (i < j) {
				t.Errorf("%s before %s is %t, want %t", a, b, a.Before(b), i < j)
			}
		}
	}
	if got := option.Newest.String() + " " + ascending[3].String(); got != "newest 3.10.1" {
		t.Errorf("texts %q, want %q", got, "newest 3.10.1")
	}
}
