package bridge_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/bridge"
)

type jsonAlone struct {
	OrderID string `json:"orderId,omitempty"`
	Secret  string `json:"-"`
	Name    string `json:"name"`
	Inner   struct {
		UserID string `json:"userId"`
	} `java:"inner"`
	Said   string `json:"x" java:"said"`
	Unsaid string `json:",omitempty"`
}

// A json tag says another name than Java's field would get: its field is named, with the tag and
// what to do.
func TestJSONTagsAloneAreMistakes(t *testing.T) {
	t.Parallel()
	for _, compile := range []func(reflect.Type, codecs.BindOptions) (*bridge.Plan, error){bridge.Compile, bridge.CompileOpen} {
		_, err := compile(reflect.TypeFor[jsonAlone](), codecs.BindOptions{})
		if err == nil {
			t.Fatal("compiled")
		}
		text := err.Error()
		for _, want := range []string{"OrderID", `json:"orderId,omitempty"`, `java:"orderId"`, `java:"orderID"`, "Secret", `java:"-"`, "Inner.UserID"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in %s", want, text)
			}
		}
		for _, other := range []string{"Name", "Said", "Unsaid"} {
			if strings.Contains(text, other) {
				t.Errorf("%s is refused: %s", other, text)
			}
		}
	}
	if _, err := bridge.LowerShared(jsonAlone{}); err != nil {
		t.Errorf("a tool cannot show it: %v", err)
	}
}
