package javadesc

import (
	"slices"
	"testing"

	"github.com/duequeue/duequeue/codecs/java/classfile"
)

// TestJacksonNotes: what Jackson's annotations make of a field is said where it is generated.
func TestJacksonNotes(t *testing.T) {
	t.Parallel()
	note := func(class string, values map[string]any) classfile.Notes {
		return classfile.Notes{{Class: class, Values: values}}
	}
	f := &classfile.File{
		Annotations: note("com.fasterxml.jackson.databind.annotation.JsonNaming", map[string]any{
			"value": classfile.ClassValue{Class: "com.fasterxml.jackson.databind.PropertyNamingStrategies$SnakeCaseStrategy"},
		}),
		Fields: []classfile.Member{
			{Name: "orderNo", Annotations: note(jacksonPackage+"JsonProperty", map[string]any{"value": "order-number"})},
			{Name: "userId"},
			{Name: "secret"},
			{Name: "plain"},
			{Name: "at", Annotations: note(jacksonPackage+"JsonFormat", map[string]any{"pattern": "yyyy-MM-dd"})},
		},
		Methods: []classfile.Member{{Name: "getSecret", Annotations: note(jacksonPackage+"JsonIgnore", nil)}},
	}
	for field, want := range map[string]string{
		"orderNo": `Jackson's codecs call it "order-number": give it that name in the tag for them`,
		"userId":  `Jackson's codecs call it "user_id": give it that name in the tag for them`,
		"secret":  "Jackson's codecs do not write it: @JsonIgnore",
		"plain":   "",
		"at":      `Jackson's codecs write it by the pattern "yyyy-MM-dd"`,
	} {
		if got := jacksonNote(f, field); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	var got []string
	for _, name := range []string{"orderID", "userURLPath", "_id", "a1B", "ETag"} {
		got = append(got, snakeCase(name))
	}
	if want := []string{"order_id", "user_urlpath", "id", "a1_b", "etag"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
