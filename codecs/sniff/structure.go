package sniff

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/cbor"
	"github.com/duequeue/duequeue/codecs/fst"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/ion"
	"github.com/duequeue/duequeue/codecs/jackson"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/kryo5"
	"github.com/duequeue/duequeue/codecs/marshalling"
	"github.com/duequeue/duequeue/codecs/msgpack"
	"github.com/duequeue/duequeue/codecs/serialization"
	"github.com/duequeue/duequeue/codecs/smile"
)

// Bounds of reading a payload only to see whether it reads.
const (
	mostRead     = 256 << 10
	mostElements = 1 << 15
	mostDepth    = 128
)

// structured are the codecs that read what they know of a payload's structure.
var structured = sync.OnceValue(func() map[string]codecs.Codec {
	l := codecs.Limits{Bytes: mostRead, Elements: mostElements, Depth: mostDepth}
	return map[string]codecs.Codec{
		"marshalling":    marshalling.New(marshalling.Limits(l)),
		"serialization":  serialization.New(serialization.Limits(l)),
		"fst":            fst.New(fst.Limits(l)),
		fst3:             fst.New(fst.Limits(l), fst.Version("3.0.3")),
		"kryo5":          kryo5.New(kryo5.Limits(l)),
		kryoRefs:         kryo5.New(kryo5.Limits(l), kryo5.References()),
		"cborjackson":    codecs.Whole(cbor.Jackson(jackson.Limits(l))),
		"cborjackson3":   cbor.Jackson3(jackson.Limits(l)),
		"msgpackjackson": codecs.Whole(msgpack.Jackson(jackson.Limits(l))),
		"smilejackson":   codecs.Whole(smile.Jackson(jackson.Limits(l))),
		"ionjackson":     codecs.Whole(ion.Jackson(jackson.Limits(l))),
	}
})

// fst3 is FST with the class numbers of its release 3.0.
const fst3 = "fst 3.0"

// kryoRefs is Kryo 5 with useReferences.
const kryoRefs = "kryo5 with references"

// verdict says how far a codec reads a payload.
type verdict int

const (
	unread     verdict = iota // too long to try
	refused                   // not what the codec writes
	needsClass                // up to a class that needs a descriptor
	complete                  // to its last byte
)

// reading is what a codec makes of a payload.
type reading struct {
	verdict   verdict
	what      string // the class of the value, or the class that needs a descriptor
	scalar    bool   // the value is a number, a boolean or null
	container bool   // the value is a collection or map
	reason    string // why it is refused
}

// read tries codec name on p.
func read(name string, p []byte) reading {
	if len(p) > mostRead {
		return reading{verdict: unread}
	}
	v, err := structured()[name].Decode(p)
	if err == nil {
		r := reading{verdict: complete, what: valueClass(v), scalar: scalar(v)}
		switch v.(type) {
		case *java.List, *java.Map:
			r.container = true
		}
		return r
	}
	var e *codecs.DecodeError
	if errors.Is(err, fst.ErrNoDescriptor) && errors.As(err, &e) && classLike(e.Class) && !described[e.Class] {
		return reading{verdict: needsClass, what: e.Class}
	}
	return reading{verdict: refused, reason: err.Error()}
}

// described are classes that need no descriptor, so that one which asks for theirs has
// not been written by the codec.
var described = map[string]bool{
	"java.lang.String": true, "java.lang.Boolean": true, "java.lang.Byte": true, "java.lang.Short": true, "java.lang.Character": true,
	"java.lang.Integer": true, "java.lang.Long": true, "java.lang.Float": true, "java.lang.Double": true, "java.lang.Object": true,
}

func valueClass(v any) string {
	if class := java.ClassOf(v); class != "" {
		return class
	}
	if v == nil {
		return "null"
	}
	return fmt.Sprintf("%T", v)
}

// classLike reports whether s looks like a class, also one of the default package.
func classLike(s string) bool {
	if databind.TypeID(s) {
		return true
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return s != "" && bareName([]byte(s))
}

// riverVersion is the version that Redisson writes.
const riverVersion = 4

func scalar(v any) bool {
	switch reflect.ValueOf(v).Kind() {
	case reflect.Invalid, reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint16,
		reflect.Float32, reflect.Float64:
		return true
	}
	return false
}

// short payloads are read by chance too often to be strong evidence.
const short = 8

// judge turns what the first bytes say and what the codec reads into a candidate.
// What looks like the codec and is refused by it may be cut or broken: a class
// name in the right place still counts, a mere first byte does not.
func judge(found *[]Candidate, codec string, looks Confidence, why string, p []byte) {
	if looks == 0 {
		return
	}
	r := read(codec, p)
	if codec == "fst" && r.verdict == refused {
		if other := read(fst3, p); other.verdict != refused {
			r = other
			why += ", with the class numbers of 3.0"
		}
	}
	switch r.verdict {
	case unread:
	case refused:
		if looks < Strong {
			looks--
		}
		why += "; but it does not read to its end"
	case needsClass:
		looks = Strong
		why += "; it reads up to the class " + r.what + ", which needs a descriptor"
	case complete:
		looks = max(looks, Fair)
		switch {
		case len(p) >= short && !r.scalar, codec == "marshalling" && p[0] == riverVersion && r.container:
			looks = Strong // as a Float of Kryo 5, a short container would be far beyond all numbers in use
		case len(p) == 1, r.scalar && codec == "marshalling" && p[0] != riverVersion:
			looks = Weak // any codec has such payloads
		}
		why += "; it reads to its end, as " + r.what
	}
	if looks > 0 {
		add(found, codec, looks, why)
	}
}
