package queuetest

import "testing"

func TestHolds(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"id=1a2-3d19992f": false, "19990": false,
		"<td>1999</td>": true, "cents=1999": true, "key-1999": true,
	} {
		if Holds(output, "1999") != want {
			t.Errorf("%s: want %v", output, want)
		}
	}
	if !Holds("a secretary", "secret") {
		t.Error("a text that is no number is not found within a word")
	}
}
