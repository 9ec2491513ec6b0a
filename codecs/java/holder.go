package java

// holderKind says how a class holds one value.
type holderKind int

const (
	holderNone     holderKind = iota
	holderOptional            // no field "value" when it is empty
	holderAtomic
)

// holders are the classes whose objects hold one value in the field "value".
var holders = map[string]holderKind{
	"java.util.Optional":                          holderOptional,
	"java.util.OptionalInt":                       holderOptional,
	"java.util.OptionalLong":                      holderOptional,
	"java.util.OptionalDouble":                    holderOptional,
	"java.util.concurrent.atomic.AtomicBoolean":   holderAtomic,
	"java.util.concurrent.atomic.AtomicInteger":   holderAtomic,
	"java.util.concurrent.atomic.AtomicLong":      holderAtomic,
	"java.util.concurrent.atomic.AtomicReference": holderAtomic,
}
