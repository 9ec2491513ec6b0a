package framework

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A service links the codecs that it declares queues with, and the default one.
func TestLinkedCodecs(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	deps := strings.Fields(string(out))
	for _, codec := range []string{"avro", "cbor", "compress", "fst", "ion", "jackson", "marshalling", "msgpack", "protobuf", "smile", "sniff", "catalog"} {
		if slices.Contains(deps, "github.com/duequeue/duequeue/codecs/"+codec) {
			t.Errorf("package framework links codecs/%s", codec)
		}
	}
}
