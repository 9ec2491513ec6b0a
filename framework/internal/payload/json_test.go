package payload

import (
	"strings"
	"testing"
)

// JSON in a string is searched and shown like a map; any other text stays one.
func TestJSONInText(t *testing.T) {
	t.Parallel()
	const text = `{"orderNumber":1867345678901234567,"items":[{"sku":"a"},{"sku":"b"}],"price":12.30}`
	for want, path := range map[string]string{"1867345678901234567": "orderNumber", "b": "items.sku", "12.30": "price"} {
		if got, ok := Everything.Match(text, want); !ok || got != path {
			t.Errorf("%s: found %v at %q, not %q", want, ok, got, path)
		}
	}
	if _, ok := FieldsOf("price").Match(text, "b"); ok {
		t.Error("found in a field that is not searched")
	}
	if _, ok := Everything.Match(text, text); ok {
		t.Error("the whole text is a value of itself")
	}
	if lines := string(Tree(text, FieldsOf("orderNumber"), Bounds{}).Lines(0)); !strings.Contains(lines, "1867345678901234567") || strings.Contains(lines, "12.30") {
		t.Errorf("shown:\n%s", lines)
	}
	for _, other := range []string{"", "{", "{order}", `{"a":1} and more`, "[1", strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		if path, ok := Everything.Match(other, other); !ok || path != "" {
			t.Errorf("%q is no text", other)
		}
	}
}
