package framework

import (
	"bytes"
	"os/exec"
	"testing"
)

// A service links the codecs that it declares queues with, and the default one.
func TestLinkedCodecs(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, codec := range []string{"avro", "cbor", "compress", "fst", "ion", "jackson", "marshalling", "msgpack", "protobuf", "smile", "sniff", "catalog"} {
		if bytes.Contains(out, []byte("/codecs/"+codec+"\n")) {
			t.Errorf("package framework links codecs/%s", codec)
		}
	}
}
