package codectest

import (
	"iter"
	"math/rand/v2"
	"os"
)

// Long reports whether tests that have a long form run in it.
func Long() bool { return os.Getenv("DUEQUEUE_TEST_LONG") == "1" }

// Count is how many of something a test tries: short, in the long form long.
func Count(short, long int) int {
	if Long() {
		return long
	}
	return short
}

// every is how far apart the places are that the short form tries.
const every = 7

// Places are the bytes of a payload of n bytes at which a test cuts or changes it: in the
// long form all of them, in the short form every seventh from a random one on, and the last.
func Places(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		step, from := every, rand.IntN(every)
		if Long() {
			step, from = 1, 0
		}
		last := n - 1
		for at := from; at < last; at += step {
			if !yield(at) {
				return
			}
		}
		if last >= 0 {
			yield(last)
		}
	}
}
