package ion

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// The canonical names of the codecs.
const (
	Name  = "ionjackson"
	Name3 = "ionjackson3"
)

// Jackson returns the codec of Redisson's IonJacksonCodec, canonical name
// "ionjackson".
func Jackson(opts ...jackson.Option) codecs.Codec {
	return databind.New(format(Name), databind.Rules{Jackson: 2, Types: true, OwnDates: true}, opts...)
}

// Jackson3 returns the codec of Redisson's IonJackson3Codec (4.2.0 and later),
// canonical name "ionjackson3".
func Jackson3(opts ...jackson.Option) codecs.Codec {
	return databind.New(format(Name3), databind.Rules{Jackson: 3, OwnDates: true, First: option.Release{4, 2, 0}}, opts...)
}

func format(name string) databind.Format {
	return databind.Format{Name: name, Tokenize: tokenize, Generator: newGenerator, BinaryUUID: true}
}
