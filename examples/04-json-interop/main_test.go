package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestRuns(t *testing.T) {
	synctest.Test(t, runs) // in virtual time
}

func runs(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	const want = `JsonJacksonCodec
  order 100 of customer 42, NEW, created 2023-11-14 22:13:20: 2 × tea at 12.50, parcels [[1 2]]
  Go writes 420 bytes, those of Java: true
StringCodec, JSON inside
  remind customer 42 of order A-100 by [app mail]
  Go writes 61 bytes, those of Java: true
TypedJsonJacksonCodec
  order 100 of customer 42, NEW, created 2023-11-14 22:13:20: 2 × tea at 12.50, parcels [[1 2]]
  Go writes 185 bytes, those of Java: true
LZ4Codec(Kryo5Codec), still pending
  order 100 of customer 42, NEW, created 2023-11-14 22:13:20: 2 × tea at 12.50, parcels [[1 2]]
  Go writes 420 bytes, those of Java: true
JsonJacksonCodec, since Java moved
  order 100 of customer 42, NEW, created 2023-11-14 22:13:20: 2 × tea at 12.50, parcels [[1 2]]
  Go writes 420 bytes, those of Java: true
Since("4.1.0"): the bytes of that release: true
Since("4.7.0"): the bytes of that release: true
`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}
