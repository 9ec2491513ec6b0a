package wire_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/duequeue/duequeue/framework/internal/lab"
	"github.com/duequeue/duequeue/framework/internal/wire"
)

// The text of an id is the same from Lua, which writes the dead store.
func TestIDTextLuaAgrees(t *testing.T) {
	t.Parallel()
	text := snippet("idtext", `local text = id_text(ARGV[1], tonumber(ARGV[2]), ARGV[3])
local kind, due, id = id_parse(text)
if kind and (kind ~= ARGV[1] or due ~= tonumber(ARGV[2]) or id ~= ARGV[3]) then return 'read as another' end
return text`)
	rdb := lab.Shared.Client()
	rapid.Check(t, func(rt *rapid.T) {
		id := wire.ElementID{
			Kind: rapid.SampledFrom([]byte{wire.KindFirst, wire.KindJava, wire.KindOther}).Draw(rt, "kind"),
			Raw:  [8]byte(rapid.SliceOfN(rapid.Byte(), 8, 8).Draw(rt, "raw")),
		}
		if rapid.Bool().Draw(rt, "universal") {
			id.Raw[0] = 7
		}
		due := rapid.Int64Range(-5, wire.MaxDueMs-1).Draw(rt, "due")
		got, err := text.Run(t.Context(), rdb, nil, string(id.Kind), due, id.Raw[:])
		if want := wire.FormatID(due, id); err != nil || got != want {
			rt.Fatalf("Lua %q %v, Go %q", got, err, want)
		}
	})
}
