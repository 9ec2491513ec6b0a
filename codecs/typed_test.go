package codecs_test

import (
	"errors"
	"testing"

	"github.com/duequeue/duequeue/codecs"
)

func TestZeroTypedRefusesEverything(t *testing.T) {
	t.Parallel()
	var typed codecs.Typed[string]
	var enc *codecs.EncodeError
	if _, err := typed.Encode("x"); !errors.As(err, &enc) {
		t.Errorf("Encode: %v, want an EncodeError", err)
	}
	var dec *codecs.DecodeError
	if _, err := typed.Decode([]byte("x")); !errors.As(err, &dec) {
		t.Errorf("Decode: %v, want a DecodeError", err)
	}
}

func TestForNeedsACodec(t *testing.T) {
	t.Parallel()
	var bind *codecs.BindError
	if _, err := codecs.For[string](nil, codecs.BindOptions{}); !errors.As(err, &bind) {
		t.Errorf("For(nil): %v, want a BindError", err)
	}
}
