package jackson_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind/databindtest"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
)

// twinCodecs are the codecs that the twins of the golden beans go through.
var twinCodecs = map[string]func(...jackson.Option) codecs.Codec{
	"JsonJacksonCodec": jackson.JsonJackson, "TypedJsonJacksonCodec": jackson.TypedJsonJackson,
	"JsonJackson3Codec": jackson.JsonJackson3, "TypedJsonJackson3Codec": jackson.TypedJsonJackson3,
}

// twinCodec returns the codec of a class of Java, with its option behind a plus, and of a release.
func twinCodec(name, release string) codecs.Codec {
	class, option, _ := strings.Cut(name, "+")
	opts := []jackson.Option{jackson.Since(release)}
	switch {
	case option == "JavaTime":
		opts = append(opts, jackson.Mapper{Dates: jackson.Timestamps})
	case option == "DatesAsText":
		opts = append(opts, jackson.Mapper{Dates: jackson.DateTexts})
	case strings.Contains(class, "3"):
		opts = append(opts, jackson.EnumTexts("demo.Types$Grade", gradeTexts))
	}
	return twinCodecs[class](opts...)
}

// twin decodes a payload into a Go type, and encodes it again.
type twin func(c codecs.Codec, payload []byte) ([]byte, error)

func twinOf[T any](c codecs.Codec, payload []byte) ([]byte, error) {
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		return nil, err
	}
	v, err := typed.Decode(payload)
	if err != nil {
		return nil, err
	}
	return typed.Encode(v)
}

// TestTwins: Go types take the beans that Java wrote and give the same bytes.
func TestTwins(t *testing.T) {
	t.Parallel()
	twins := map[string]twin{
		"POJO Item": twinOf[goldenItem], "POJO Special": twinOf[goldenSpecial], "POJO Order": twinOf[goldenOrder],
		"POJO Flat": twinOf[goldenFlat], "record": twinOf[goldenRec], "record with nulls": twinOf[goldenRec],
		"records in fields": twinOf[goldenHasRec], "POJO Times": twinOf[goldenTimes], "POJO Maybe": twinOf[goldenMaybe],
		"dates in fields": twinOf[goldenDates], "generics in fields": twinOf[goldenHolder], "final POJO": twinOf[goldenLeaf],
		"ArrayList of 20 Items": twinOf[[]goldenItem], "same Throwable twice": twinOf[[]*goldenFailure],
	}
	run := 0
	for _, row := range databindtest.Golden(t, ".") {
		try := twins[row.Sample]
		if try == nil || row.Where != "root" || unlikeJava(row) {
			continue
		}
		run++
		t.Run(row.Release+" "+row.Codec+" "+row.Sample, func(t *testing.T) {
			t.Parallel()
			want := row.Payload
			if row.Sample == "dates in fields" { // a Calendar has no Go time
				want = withoutMember(want, "calendar")
			}
			got, err := try(twinCodec(row.Codec, row.Release), want)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v\nJava %s\nGo   %s", err, want, got)
			}
		})
	}
	if run < 45 {
		t.Errorf("only %d rows", run)
	}
}

// TestTypedUUID: from 4.2.0 to 4.4.x a UUID named its class where it was declared, and nowhere else.
// Both forms are read whatever the release.
func TestTypedUUID(t *testing.T) {
	t.Parallel()
	rows := 0
	for _, row := range golden(t, "4.3.1") {
		try := map[string]twin{"UUID": twinOf[java.UUID], "UUID[]": twinOf[[]java.UUID], "POJO Order": twinOf[goldenOrder]}[row.Sample]
		if row.Codec != "TypedJsonJacksonCodec" || row.Where != "root" || try == nil {
			continue
		}
		rows++
		got, err := try(twinCodec(row.Codec, "4.3.1"), row.Payload)
		if err != nil || !bytes.Equal(got, row.Payload) {
			t.Errorf("%s: %v\nJava %s\nGo   %s", row.Sample, err, row.Payload, got)
		}
		if _, err := try(twinCodec(row.Codec, "4.7.0"), row.Payload); err != nil {
			t.Errorf("%s: %v", row.Sample, err)
		}
	}
	if rows != 3 {
		t.Errorf("%d rows", rows)
	}
}

// unlikeJava reports rows that Go writes in another way on purpose.
func unlikeJava(row databindtest.Row) bool {
	switch row.Sample {
	case "POJO Times", "POJO Maybe", "dates in fields", "same Throwable twice":
		if row.Release != "4.7.0" {
			return true // older ones wrote other fields, which the twins have not
		}
	}
	switch row.Sample {
	case "final POJO", "record", "record with nulls":
		// At the root Java leaves out the class of final ones, and cannot read that back.
		return !strings.HasPrefix(row.Codec, "Typed")
	case "same Throwable twice":
		// With Jackson 3 they have no number, which is a field of the twin; and in a
		// list of no declared type a number is just that.
		return !strings.HasPrefix(row.Codec, "TypedJsonJacksonCodec")
	case "POJO Times":
		// In any, seconds are a float64: nothing says that they are a time.
		return row.Codec == "TypedJsonJacksonCodec+JavaTime"
	}
	return false
}

// withoutMember cuts a member out of a JSON object that it is not the last of.
func withoutMember(payload []byte, name string) []byte {
	start := bytes.Index(payload, []byte(`"`+name+`":`))
	if start < 0 {
		return payload
	}
	rest := string(payload[start:])
	end := strings.Index(rest, `,"date":`)
	return append(slices.Clone(payload[:start]), rest[end+1:]...)
}

// TestTypedNeedsNoClass: the codecs that name no classes take a struct without one,
// and write its fields in Java's order.
func TestTypedNeedsNoClass(t *testing.T) {
	t.Parallel()
	for _, row := range golden(t, "4.7.0") {
		if row.Sample != "POJO Flat" || row.Where != "root" || !strings.HasPrefix(row.Codec, "Typed") || strings.Contains(row.Codec, "+") {
			continue
		}
		got, err := twinOf[plainFlat](twinCodec(row.Codec, "4.7.0"), row.Payload)
		if err != nil || !bytes.Equal(got, row.Payload) {
			t.Errorf("%s: %v\nJava %s\nGo   %s", row.Codec, err, row.Payload, got)
		}
	}
}
