// Package serialization reads and writes what Redisson's SerializationCodec puts
// into Redis: streams of java.io.ObjectOutputStream.
package serialization
