package compress_test

import (
	"fmt"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/kryo5"
)

// In Java: new LZ4Codec(new Kryo5Codec()).
func ExampleLZ4() {
	codec := compress.LZ4(kryo5.New())
	typed, _ := codecs.For[string](codec, codecs.BindOptions{})
	payload, _ := typed.Encode("hello")
	fmt.Println(codec.Name())
	fmt.Printf("% x\n", payload)
	// Output:
	// lz4(kryo5)
	// 00 00 00 06 60 03 68 65 6c 6c ef
}

// In Java: new LZ4CodecV2(new Kryo5Codec()). Without Since the bytes are stored, for
// the sake of readers before Redisson 4.5.0.
func ExampleLZ4V2() {
	value := strings.Repeat("tick ", 7)
	stored, _ := compress.LZ4V2(kryo5.New()).Encode(value)
	packed, _ := compress.LZ4V2(kryo5.New(), compress.Since("4.7.0")).Encode(value)
	fmt.Println(len(stored), len(packed))
	// Output: 43 21
}

func ExampleLimits() {
	bomb, _ := compress.ZStd(codecs.ByteArray()).Encode(make([]byte, 1<<20))
	_, err := compress.ZStd(codecs.ByteArray(), compress.Limits(codecs.Limits{Bytes: 1000})).Decode(bomb)
	fmt.Println(err)
	// Output: decode zstd(bytearray) at byte 0: zstd: 1048576 bytes before compression, the limit is 1000 (Limits.Bytes)
}
