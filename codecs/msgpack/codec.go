package msgpack

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// Name is the canonical name of the codec.
const Name = "msgpackjackson"

var format = databind.Format{Name: Name, Tokenize: tokenize, Generator: newGenerator}

// Jackson returns the codec of Redisson's MsgPackJacksonCodec, canonical name
// "msgpackjackson".
func Jackson(opts ...jackson.Option) codecs.Codec {
	return databind.New(format, databind.Rules{Jackson: 2, Types: true}, opts...)
}
