// Package compress carries Redisson's compressing codecs: LZ4Codec, LZ4CodecV2,
// SnappyCodec, SnappyCodecV2 and ZStdCodec, each around another codec, whose bytes
// it compresses.
//
//	new LZ4Codec(new Kryo5Codec())            compress.LZ4(kryo5.New())
//	new LZ4CodecV2(new JsonJacksonCodec())    compress.LZ4V2(jackson.JsonJackson())
//	new SnappyCodec(new Kryo5Codec())         compress.Snappy(kryo5.New())
//	new SnappyCodecV2(new Kryo5Codec())       compress.SnappyV2(kryo5.New())
//	new ZStdCodec(new Kryo5Codec())           compress.ZStd(kryo5.New())
//
// Java's constructors without an inner codec mean another one by release: FstCodec
// up to 3.12 (from 3.12.3 on only where a ClassLoader is given, else Kryo5Codec),
// MarshallingCodec in 3.13 to 3.18, Kryo5Codec from 3.19.0 on.
//
// # What each release writes and reads
//
//	codec      Redisson        bytes                                          Go reads  Go writes
//	LZ4        3.2 … 4.7       length, LZ4 block                              yes       the same
//	LZ4V2      3.24            LZ4 frame; Java reads its first literals       yes       Since("3.24.0"): frame, stored
//	           3.25 … 4.4      length, LZ4 block; Java reads its first        yes       literals only, up to 196,608 bytes
//	                           literals, of these at most 196,608 bytes
//	           4.5 … 4.7       length, LZ4 block                              yes       Since("4.5.0"): compressed
//	Snappy     3.2 … 4.0       {length, Snappy block of ≤ 32,767 bytes} …     yes       the same
//	SnappyV2   3.7.3 … 3.8.2   stream of snappy-java; Java reads no more      yes       Since("3.8.1"): stream, stored
//	                           bytes than the payload has
//	           3.9 … 4.7       Snappy block                                   yes       the same
//	ZStd       3.39 … 4.7      length, zstd frame                             yes       the same
//
// A length is four bytes, most significant first. Both bugs of Java's decoders are
// the same: one read of a stream, which may give less than all. They lose what Java
// itself wrote, too; what Go writes towards such a release is not compressed, and so
// is read whole.
//
// Reading needs no option: a codec reads all its forms.
//
// # Equal bytes
//
// Java's remove(o) and contains(o) compare bytes, so they find what Go wrote only if
// Go compresses just as Java does. Measured with the released jars, from 0 bytes to
// 5 MB, compressible or not:
//
//   - LZ4: equal to LZ4Codec of Redisson 3.24 and later in all cases, and of older
//     releases up to 65,546 bytes, where Java loads the native library: it does
//     where lz4-java lies on the class path of the application. Where another class
//     loader loads it (a Spring Boot jar, Tomcat), lz4-java may take its Java
//     compressor, whose blocks differ as soon as something repeats.
//   - LZ4V2: equal only where Java's compressor (Commons Compress) finds nothing to
//     compress, as in short and random values.
//   - Snappy, SnappyV2, ZStd: equal where nothing is compressed, which is so for
//     most values of less than about 60 bytes, and for random ones.
//
// In all other cases Java reads equal values from bytes that differ: consuming works,
// remove(o) and contains(o) by Java do not find what Go wrote.
//
// # Limits
//
// A payload is expanded only when the size that it claims is no more than Limits.Bytes of
// the inner codec, nor more than so many bytes can hold: a payload of a few bytes that claims
// gigabytes allocates nothing. What
// LZ4 expands is at most 255 times as long, Snappy 64/3 times. zstd could reach 30,000
// times: see [ZStd] for its bound.
package compress
