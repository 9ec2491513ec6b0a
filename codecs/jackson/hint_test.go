package jackson_test

import (
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/smile"
)

// TestForeignPayloads: what another codec wrote is often well-formed; the error then
// says more than that the kinds differ.
func TestForeignPayloads(t *testing.T) {
	t.Parallel()
	const bean = `{"@class":"demo.Order","created":["java.util.Date",5],"id":1,"name":"tea"}`
	const classes, behind = "names Java classes", "bytes follow the value"
	for name, tc := range map[string]struct {
		codec         codecs.Codec
		payload, want string
		not           string
	}{
		"typed":            {jackson.TypedJsonJackson(), bean, classes, behind},
		"typed, Jackson 3": {jackson.TypedJsonJackson3(), bean, classes, behind},
		"msgpack":          {msgpack.Jackson(), bean, behind, classes},
		"smile":            {smile.Jackson(), bean, behind, classes},
		"ion, Jackson 3":   {ion.Jackson3(), `'demo.Order'::{created:["java.util.Date",5]}`, classes, behind},
		"cbor":             {cbor.Jackson(), "\x01\x00demo.Orde\xf2", behind, classes},
		"a wrong field":    {jackson.JsonJackson(), `{"@class":"demo.Order","id":"x"}`, "the kinds differ", "another codec"},
		"no class":         {jackson.TypedJsonJackson(), `{"id":"x"}`, "not a whole number", "another codec"},
	} {
		t.Run(name, func(t *testing.T) {
			typed := codectest.Typed[order](t, tc.codec)
			_, err := typed.Decode([]byte(tc.payload))
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), tc.not) {
				t.Errorf("%s: %v; want %q and not %q", name, err, tc.want, tc.not)
			}
		})
	}
}
