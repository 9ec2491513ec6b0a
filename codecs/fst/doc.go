// Package fst reads Redisson's FstCodec.
package fst
