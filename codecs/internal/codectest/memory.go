package codectest

import "runtime"

// Allocates holds what decode, which reads payload, allocates to the size of the payload and
// a budget of 4,096 elements. No other test may run meanwhile.
func Allocates(tb TB, payload []byte, decode func()) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	decode()
	runtime.ReadMemStats(&after)
	if used, most := after.TotalAlloc-before.TotalAlloc, uint64(128*len(payload)+2<<20); used > most {
		tb.Fatalf("%.200x: allocated %d bytes, more than %d", payload, used, most)
	}
}
