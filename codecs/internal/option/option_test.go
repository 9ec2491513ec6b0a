package option_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

type settings struct {
	limits  codecs.Limits
	since   option.Release
	classes *java.Classes
	loud    bool
}

// Option is declared as codecs declare theirs.
type Option interface{ option.Option[settings] }

func limits(l codecs.Limits) Option {
	return option.Limits("demo.Limits", l, func(s *settings, l codecs.Limits) { s.limits = l.WithDefaults() })
}

func since(release string) Option {
	return option.Since("demo.Since", release, func(s *settings, r option.Release) error {
		if s.since = r; r.Before(option.Release{3, 19, 0}) {
			return errors.New("too old")
		}
		return nil
	})
}

func classes(sets ...*java.Classes) Option {
	return option.Classes("demo.Classes", sets, func(s *settings) **java.Classes { return &s.classes })
}

func loud() Option { return option.Set("demo.Loud()", func(s *settings) { s.loud = true }) }

func set(t *testing.T, descriptors ...string) *java.Classes {
	t.Helper()
	var list []*java.Class
	for _, d := range descriptors {
		c, err := java.ParseClass(d)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	s, err := java.NewClasses(list...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	var s settings
	early, late := set(t, "demo.A serial 1", "demo.B"), set(t, "demo.A serial 2", "demo.C")
	if err := option.Configure(&s, []Option{limits(codecs.Limits{Depth: 7}), since("4.1"), classes(early, nil), classes(late), classes(), loud()}); err != nil {
		t.Fatal(err)
	}
	if s.limits.Depth != 7 || s.limits.Bytes != codecs.DefaultMaxBytes || s.since != (option.Release{4, 1, 0}) || !s.loud {
		t.Errorf("settings %+v, want a depth of 7, other limits by default, since 4.1.0, loud", s)
	}
	if got := s.classes.Find("demo.A"); s.classes.Len() != 4 || got != early.Find("demo.A") {
		t.Errorf("%d classes, demo.A %+v; want all 4, and of demo.A the earlier description first", s.classes.Len(), got)
	}
}

// TestMistakes expects all of them, each with the text of its option.
func TestMistakes(t *testing.T) {
	t.Parallel()
	var s settings
	err := option.Configure(&s, []Option{
		nil, limits(codecs.Limits{Depth: -1}), since("four"), since("3.18.9"),
		classes(set(t, "demo.A extends demo.B")), classes(set(t, "demo.B extends demo.A"), set(t, "demo.C")),
	})
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		"option 1 is nil",
		"option demo.Limits({Bytes:0 Elements:0 Depth:-1 StringBytes:0}): Depth must be between 1 and 10000",
		`option demo.Since("four"): "four" is no release of Redisson: write it as 3.45.1`,
		`option demo.Since("3.18.9"): too old`,
		"option demo.Classes(2 classes): Java class \"demo.A\": inheritance runs in a circle: demo.A extends demo.B extends demo.A",
	}
	if got := strings.Split(err.Error(), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.classes.Len() != 1 {
		t.Errorf("%d classes, want the one of the option without a mistake", s.classes.Len())
	}
}

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
