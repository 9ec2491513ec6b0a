package ion

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// Jackson returns the codec of Redisson's IonJacksonCodec, canonical name
// "ionjackson".
func Jackson(opts ...jackson.Option) codecs.Codec {
	return databind.New(format("ionjackson"), databind.Rules{Jackson: 2, Types: true}, opts...)
}

func format(name string) databind.Format {
	return databind.Format{Name: name, Tokenize: tokenize(name), Generator: newGenerator, BinaryUUID: true}
}
