// Package marshalling carries payloads of Redisson's MarshallingCodec.
package marshalling
