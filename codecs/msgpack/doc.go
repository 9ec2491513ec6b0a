// Package msgpack reads and writes the MessagePack of Redisson's MsgPackJacksonCodec.
package msgpack
