package smile

import (
	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/jackson"
)

// The canonical names of the codecs.
const (
	Name  = "smilejackson"
	Name3 = "smilejackson3"
)

// Jackson returns the codec of Redisson's SmileJacksonCodec, canonical name
// "smilejackson".
func Jackson(opts ...jackson.Option) codecs.Codec {
	return databind.New(format(Name), databind.Rules{Jackson: 2, Types: true}, opts...)
}

// Jackson3 returns the codec of Redisson's SmileJackson3Codec (4.2.0 and later),
// canonical name "smilejackson3".
func Jackson3(opts ...jackson.Option) codecs.Codec {
	return databind.New(format(Name3), databind.Rules{Jackson: 3, First: option.Release{4, 2, 0}}, opts...)
}

func format(name string) databind.Format {
	return databind.Format{
		Name:       name,
		BinaryUUID: true,
		Tokenize:   tokenize,
		Generator: func(r *databind.Rules) token.Generator {
			// Redisson 3.51.0 came with Jackson 2.19, which no longer extends the sign.
			return &generator{flags: flagNames, signed: r.Jackson == 2 && r.Release.Before(option.Release{3, 51, 0})}
		},
	}
}
