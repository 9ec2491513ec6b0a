package cbor

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// The canonical names of the codecs.
const (
	Name  = "cborjackson"
	Name3 = "cborjackson3"
)

var (
	format = databind.Format{
		Name: Name, Tokenize: tokenize, Generator: newGenerator, BinaryUUID: true,
	}
	format3 = databind.Format{
		Name: Name3, Tokenize: tokenize, Generator: newGenerator, BinaryUUID: true,
	}
)

// Jackson returns the codec of Redisson's CborJacksonCodec, canonical name
// "cborjackson".
func Jackson(opts ...jackson.Option) codecs.Codec {
	return databind.New(format, databind.Rules{Jackson: 2, Types: true}, opts...)
}

// Jackson3 returns the codec of Redisson's CborJackson3Codec (4.2.0 and later),
// canonical name "cborjackson3".
func Jackson3(opts ...jackson.Option) codecs.Codec {
	return databind.New(format3, databind.Rules{Jackson: 3, First: option.Release{4, 2, 0}}, opts...)
}
