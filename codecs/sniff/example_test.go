package sniff_test

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/sniff"
)

func ExampleGuess() {
	for _, c := range sniff.Guess([]byte(`["java.util.ArrayList",["a"]]`)) {
		fmt.Printf("%s (%s): %s\n", c.Codec, c.Confidence, c.Why)
	}
	// Output:
	// jsonjackson (strong): a JSON array that begins with the Java class java.util.ArrayList
	// jsonjackson3 (fair): a JSON array that begins with the Java class java.util.ArrayList, with nothing that tells Jackson 2 and 3 apart
	// string (fair): readable UTF-8 text
}
