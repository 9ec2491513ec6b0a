package databind

import (
	"testing"
	"time"

	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/java"
)

// TestTypeIDs tells names of classes from texts that look like some.
func TestTypeIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"java.lang.Long": true, "com.shop.Order$Item": true, "java.util.EnumMap<demo.Color,java.lang.Object>": true, "[I": true, "[[Ljava.lang.Long;": true,
		"demo.Größe": true, "demo.größe": false, "www.example.com": false, "Order": false, ".Order": false, "demo.": false, "java.util.EnumMap<": false, "demo.A b": false,
		"[": false, "[X": false, "[Ldemo.A": false, "[]": false, "": false,
	} {
		if got := TypeID(text); got != want {
			t.Errorf("%q is a class: %t, want %t", text, got, want)
		}
	}
}

// TestContainerClasses says by the name what a value of a class looks like.
func TestContainerClasses(t *testing.T) {
	t.Parallel()
	for class, want := range map[string]struct{ list, mapping, final bool }{
		"java.util.ArrayList":                                {list: true},
		"java.util.Collections$UnmodifiableRandomAccessList": {list: true},
		"java.util.EnumSet<demo.Color>":                      {list: true},
		"java.util.ImmutableCollections$ListN":               {list: true, final: true},
		"java.util.ImmutableCollections$Set12":               {list: true, final: true},
		"java.util.ImmutableCollections$Map1":                {mapping: true, final: true},
		"java.util.ImmutableCollections$MapN":                {mapping: true, final: true},
		"java.util.EnumMap<demo.Color,java.lang.Object>":     {mapping: true},
		"java.util.Properties":                               {mapping: true},
		"java.util.BitSet":                                   {},
		"demo.OrderList":                                     {},
	} {
		if listClass(class) != want.list || mapClass(class) != want.mapping || finalList(class) != want.final {
			t.Errorf("%s: list %t, map %t, final %t; want %+v", class, listClass(class), mapClass(class), finalList(class), want)
		}
	}
}

// TestTimesWithOffsetsAsSeconds: as seconds they are what an Instant can be, in no other
// form.
func TestTimesWithOffsetsAsSeconds(t *testing.T) {
	t.Parallel()
	last := java.OffsetDateTimeOf(time.Unix(31556889864403199, 0).UTC()) // in the year 1,000,000,000
	after := java.OffsetDateTimeOf(time.Unix(31556889864403200, 0).UTC())
	noDay := java.OffsetDateTime{Date: java.LocalDate{Year: 2023, Month: 2, Day: 29}}
	for name, c := range map[string]struct {
		value any
		form  timesForm
		want  bool
	}{
		"last as seconds":                {last, timesNumbers, true},
		"last as seconds, with a zone":   {java.ZonedDateTime{Date: last.Date, Time: last.Time, Zone: "Z"}, timesNumbers, true},
		"last as text":                   {last, timesText, false},
		"after the last as seconds":      {after, timesNumbers, false},
		"29 February 2023 as seconds":    {noDay, timesNumbers, false},
		"a date of the year 999,999,999": {java.LocalDate{Year: 999_999_999, Month: 1, Day: 1}, timesNumbers, true},
		"a date of the year after":       {java.LocalDate{Year: 1_000_000_000, Month: 1, Day: 1}, timesNumbers, false},
	} {
		if got := validTime(jdk.Of(c.value), c.value, c.form); got != c.want {
			t.Errorf("Java has %s: %t, want %t", name, got, c.want)
		}
	}
}

// TestFactsByRelease: each fact changes in the release that its comment names.
func TestFactsByRelease(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fact  func(r *Rules) bool
		rules Rules
		since option.Release // the first with the other answer
		last  option.Release // the one before
		then  bool
	}{
		"a declared UUID names its class": {func(r *Rules) bool { return !r.bareUUID() }, Rules{Jackson: 2, Types: true}, option.Release{4, 2, 0}, option.Release{4, 1, 0}, true},
		"NaN names its class":             {func(r *Rules) bool { return !r.bareNaN() }, Rules{Jackson: 2, Types: true}, option.Release{3, 11, 6}, option.Release{3, 11, 5}, true},
		"a UUID leaks its class":          {(*Rules).leaksUUID, Rules{Jackson: 2, First: option.Release{3, 10, 0}}, option.Release{4, 2, 0}, option.Release{4, 1, 0}, true},
		"a UUID no longer leaks it":       {(*Rules).leaksUUID, Rules{Jackson: 2, First: option.Release{3, 10, 0}}, option.Release{4, 5, 0}, option.Release{4, 4, 0}, false},
		"a zone is a ZoneId": {
			func(r *Rules) bool { return r.textID("java.time.ZoneRegion") == "java.time.ZoneId" },
			Rules{Jackson: 2, Types: true},
			option.Release{3, 13, 3},
			option.Release{3, 13, 2},
			true,
		},
		"UTC has a colon": {
			func(r *Rules) bool { zone, _ := r.dateZone(); return zone == "+00:00" },
			Rules{Jackson: 2, Types: true},
			option.Release{3, 13, 3},
			option.Release{3, 13, 2},
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for release, want := range map[option.Release]bool{c.since: c.then, c.last: !c.then} {
				r := c.rules
				if r.Release = release; c.fact(&r) != want {
					t.Errorf("with %s: %t, want %t", release, !want, want)
				}
			}
		})
	}
}
