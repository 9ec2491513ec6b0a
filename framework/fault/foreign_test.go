package fault_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/fault"
)

// The error names the options that write the form which is there.
func TestForeignFormNamesOptions(t *testing.T) {
	t.Parallel()
	for _, f := range []struct{ there, writes, want string }{
		{`["demo.Order",{…}]`, `{"@class":"demo.Order",…}`, "jackson.NonFinal})"},
		{`{"@class":"demo.Order",…}`, `{…}`, "jackson.JsonJackson()"},
		{`{"kind":"demo.Order",…}`, `{…}`, `Property: "kind"})`},
		{`{…}`, `{"@class":"demo.Order",…}`, "jackson.TypedJsonJackson()"},
		{`"order_id":…`, `"orderId":…`, "Naming"},
		{`["java.util.Date","yyyy-MM-dd HH:mm:ss"]`, `["java.util.Date",a number]`, "DateFormat"},
		{`"yyyy-MM-dd HH:mm:ss"`, `"yyyy-MM-ddTHH:mm:ss"`, "LocalDateTime"},
		{`a number`, `"yyyy-MM-ddTHH:mm:ssX"`, "Timestamps"},
		{`["java.lang.Long","…"]`, `["java.lang.Long",a number]`, "LongAsText"},
		{`a number`, `"…"`, "EnumOrdinals"},
		{`"…"`, `a text without quotes`, "jackson.JSON()"},
		{`[…]`, `a boolean`, ""},
	} {
		form := fault.ForeignForm{There: f.there, Writes: f.writes}
		if got := form.Options(); !strings.Contains(got, f.want) || f.want == "" && got != "" {
			t.Errorf("%s, %s: %s", f.there, f.writes, got)
		}
		e := &fault.ForeignPayloadsError{Queue: "ORDER", Form: 3, Looked: 3, Forms: []fault.ForeignForm{form}}
		if text := e.Error(); f.want != "" && !strings.Contains(text, f.want) {
			t.Error(text)
		}
	}
}
