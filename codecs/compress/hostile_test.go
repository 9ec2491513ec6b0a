package compress_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/compress"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
)

// allocated returns what decoding allocates, after a first payload of the codec.
func allocated(tb testing.TB, c codecs.Codec, payload []byte) (uint64, error) {
	tb.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := c.Decode(payload)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// warm makes what is made once.
func warm(tb testing.TB, c codecs.Codec) {
	tb.Helper()
	payload := codectest.Must(c.Encode(bytes.Repeat([]byte("warm "), 100_000/5)))(tb)
	if _, err := c.Decode(payload); err != nil {
		tb.Fatal(err)
	}
}

// TestHostile: what claims more than it holds allocates nothing and says why.
func TestHostile(t *testing.T) {
	chain := func(block string) string { return hex.EncodeToString([]byte{0, 0, 0, byte(len(block) / 2)}) + block }
	const stream, frame = "82534e41505059000000000100000001", "04224d18"
	for name, c := range map[string]struct {
		wrap    wrapper
		payload string // hex
		want    string
	}{
		"lz4 of no bytes":                {compress.LZ4, "", "payload of 0 bytes"},
		"lz4 of 3 bytes":                 {compress.LZ4, "000000", "payload of 3 bytes"},
		"lz4 without a block":            {compress.LZ4, "00000000", "a block of no bytes"},
		"lz4 of 4 GiB":                   {compress.LZ4, "ffffffff" + "1061", "cannot hold so many"},
		"lz4 of 2 GiB":                   {compress.LZ4, "7fffffff" + "1061", "cannot hold so many"},
		"lz4, a payload of JSON":         {compress.LZ4, hex.EncodeToString([]byte(`{"id":5}`)), "cannot hold so many"},
		"lz4 of 16 MiB":                  {compress.LZ4, "01000000" + "1061", "cannot hold so many"},
		"lz4 that is too long":           {compress.LZ4, "00000001" + "206162", "the block is malformed"},
		"lz4 with a match before":        {compress.LZ4, "00000010" + "10610200" + "10", "the block is malformed"},
		"lz4 with a match at 0":          {compress.LZ4, "00000010" + "10610000" + "10", "the block is malformed"},
		"lz4 literals of 4 GiB":          {compress.LZ4, "00001000" + "f0" + strings.Repeat("ff", 3000), "the block is malformed"},
		"lz4 match of 4 GiB":             {compress.LZ4, "00001000" + "1f610100" + strings.Repeat("ff", 3000), "the block is malformed"},
		"lz4v2 of no bytes":              {compress.LZ4V2, "", "no bytes"},
		"lz4v2 frame, wrong checksum":    {compress.LZ4V2, frame + "6470b8", "69356824 bytes before compression"},
		"lz4v2 frame, cut":               {compress.LZ4V2, frame + "6470b9", "without its end mark"},
		"lz4v2 frame, block of 2 GiB":    {compress.LZ4V2, frame + "6470b9" + "ffffff7f", "a block of 2147483647 bytes"},
		"lz4v2 frame, stored 2 GiB":      {compress.LZ4V2, frame + "6470b9" + "ffffffff", "a block of 2147483647 bytes"},
		"lz4v2 frame, content's hash":    {compress.LZ4V2, frame + "6470b9" + "0100008061" + "00000000" + "00000000", "checksum of the frame's content"},
		"lz4v2 frame, bytes after":       {compress.LZ4V2, frame + "6470b9" + "00000000" + "055dcc02" + "00", "1 bytes after the frame"},
		"snappy, half a length":          {compress.Snappy, "0000", "within the length"},
		"snappy, block of 4 GiB":         {compress.Snappy, "ffffffff00", "a block of 4294967295 bytes"},
		"snappy, block of no bytes":      {compress.Snappy, "00000000", "the length of a block"},
		"snappy, 2 GiB":                  {compress.Snappy, chain("ffffffff07" + "0061"), "2147483647 bytes before compression"},
		"snappy, 4 GiB":                  {compress.Snappy, chain("ffffffff0f" + "0061"), "the length of a block"},
		"snappy, second block too many":  {compress.Snappy, chain("010061") + chain("80808008"+"0061"), "the limit is 16777215"},
		"snappyv2 of no bytes":           {compress.SnappyV2, "", "the length of a block"},
		"snappyv2, length without end":   {compress.SnappyV2, "ffffffffffffffffffffff", "the length of a block"},
		"snappyv2, 16 MiB":               {compress.SnappyV2, "80808008" + "0061", "cannot hold the 16777216"},
		"snappyv2, copy before":          {compress.SnappyV2, "05" + "0061" + "0102", "does not expand to the"},
		"snappyv2, copy at 0":            {compress.SnappyV2, "05" + "0061" + "0100", "does not expand to the"},
		"snappyv2, copy from 4 GiB back": {compress.SnappyV2, "05" + "0061" + "0fffffffff", "does not expand to the"},
		"snappyv2, literal of 4 GiB":     {compress.SnappyV2, "05" + "fcffffffff" + "61", "does not expand to the"},
		"snappyv2, literal cut":          {compress.SnappyV2, "05" + "1061", "does not expand to the"},
		"snappyv2, too many":             {compress.SnappyV2, "01" + "046161", "does not expand to the"},
		"snappyv2 stream, half a length": {compress.SnappyV2, stream + "0000", "within the length"},
		"snappyv2 stream, 4 GiB":         {compress.SnappyV2, stream + "ffffffff" + "00", "a block of 4294967295 bytes"},
		"zstd of 3 bytes":                {compress.ZStd, "000000", "payload of 3 bytes"},
		"zstd without a frame":           {compress.ZStd, "00000001", "the frame holds at most 0"},
		"zstd, no magic":                 {compress.ZStd, "00000001" + "28b52ffe0058", "no zstd frame"},
		"zstd, a payload of JSON":        {compress.ZStd, hex.EncodeToString([]byte(`{"id":5}`)), "no zstd frame"},
		"zstd of 4 GiB":                  {compress.ZStd, "ffffffff" + "28b52ffd0058010000", "is negative"},
		"zstd of 16 MiB":                 {compress.ZStd, "01000000" + "28b52ffd0058010000", "the frame holds at most 0"},
		"zstd, content of 8 EiB":         {compress.ZStd, "00000003" + "28b52ffd" + "c058" + "ffffffffffffff7f" + "190000616263", "does not expand to the 3 bytes"},
		"zstd, less than it says":        {compress.ZStd, "00000200" + "28b52ffd0058" + "150000" + "6162", "does not expand"},
		"zstd, more than it says":        {compress.ZStd, "00000001" + "28b52ffd0058" + "190000616263", "does not expand to the 1 bytes"},
		"zstd, one raw byte for two":     {compress.ZStd, "00000002" + "28b52ffd0058" + "09000061", "the frame holds at most 1"},
		"zstd, cut within a block":       {compress.ZStd, "00000003" + "28b52ffd0058" + "1900006162", "a block of 3 bytes, there are 2"},
		"zstd, no last block":            {compress.ZStd, "00000003" + "28b52ffd0058" + "180000616263", "without its last block"},
		"zstd, no checksum":              {compress.ZStd, "00000003" + "28b52ffd0458" + "190000616263", "without its checksum"},
		"zstd, reserved block":           {compress.ZStd, "00000003" + "28b52ffd0058" + "1f0000616263", "no block of zstd"},
		"zstd, reserved descriptor":      {compress.ZStd, "00000003" + "28b52ffd0858" + "190000616263", "the header of the frame"},
		"zstd, a header that is cut":     {compress.ZStd, "00000003" + "28b52ffdc058ff", "the header of the frame"},
		"zstd, a dictionary":             {compress.ZStd, "00000003" + "28b52ffd015807" + "190000616263", "does not expand"},
	} {
		t.Run(name, func(t *testing.T) {
			codec := c.wrap(codecs.ByteArray())
			warm(t, codec)
			used, err := allocated(t, codec, text(t, c.payload))
			var e *codecs.DecodeError
			if !errors.As(err, &e) || !strings.Contains(e.Error(), c.want) || !strings.HasPrefix(e.Reason, codec.Name()[:strings.IndexByte(codec.Name(), '(')]+": ") {
				t.Errorf("%s: %v, want %q", name, err, c.want)
			}
			if e != nil && e.Offset > len(c.payload)/2 {
				t.Errorf("%s: offset %d of %d", name, e.Offset, len(c.payload)/2)
			}
			if used > 1<<18 {
				t.Errorf("%s: allocated %d bytes", name, used)
			}
		})
	}
}

// TestBombs: a payload that really expands to more than the limit allocates nothing,
// and one within it is read.
func TestBombs(t *testing.T) {
	for class, wrap := range byClass {
		var opts []compress.Option
		if class == "LZ4CodecV2" {
			opts = append(opts, compress.Since("4.7.0"))
		}
		most := codecs.Limits{Bytes: 64 << 20}
		wide := wrap(codecs.ByteArray(codecs.PlainLimits(most)), append(opts, compress.Limits(most))...)
		bomb := make([]byte, 32<<20)
		payload, err := wide.Encode(bomb)
		if err != nil || len(payload) > 1<<21 {
			t.Fatalf("%s: %d bytes, %v", class, len(payload), err)
		}
		codec := wrap(codecs.ByteArray())
		warm(t, codec)
		used, err := allocated(t, codec, payload)
		if err == nil || !strings.Contains(err.Error(), "limit") || used > 1<<18 {
			t.Errorf("%s: allocated %d bytes for a bomb of %d: %v", class, used, len(payload), err)
		}
		if v, err := wide.Decode(payload); err != nil || !bytes.Equal(v.([]byte), bomb) {
			t.Errorf("%s: %v", class, err)
		}
	}
}

// TestCut: a payload that is cut anywhere is refused, or holds the first of several
// blocks.
func TestCut(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		if len(v.payload) > 300 {
			continue
		}
		c := byClass[v.codec](codecs.ByteArray())
		for n := range codectest.Places(len(v.payload)) {
			got, err := c.Decode(v.payload[:n])
			whole := n == 0 || n == 16 || len(v.raw) == 0 // of an empty chain or stream
			if err == nil && (!whole || !bytes.HasPrefix(v.raw, got.([]byte))) {
				t.Errorf("%s, cut to %d of %d: %x", v, n, len(v.payload), got)
			}
		}
	}
}

// TestLinkedFrame: an LZ4 frame whose blocks refer to earlier ones, as other writers
// make them.
func TestLinkedFrame(t *testing.T) {
	t.Parallel()
	payload := []byte{0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0}
	block := func(b ...byte) { payload = append(binary.LittleEndian.AppendUint32(payload, uint32(len(b))), b...) }
	block(0x50, 'h', 'e', 'l', 'l', 'o')
	block(0x10, ' ', 0x06, 0x00, 0x10, '!')
	payload = append(payload, 0, 0, 0, 0)
	got, err := compress.LZ4V2(codecs.String()).Decode(payload)
	if err != nil || got != "hello hell!" {
		t.Errorf("%q, %v", got, err)
	}
}
