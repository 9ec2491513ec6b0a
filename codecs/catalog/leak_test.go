package catalog_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/internal/codectest"
	"github.com/duequeue/duequeue/codecs/java"
)

// What no error may show. Pieces count, since damage leaves pieces; no five characters
// of the text are shaped like a name, which errors do show.
const (
	secretText   = "qZ#7v~X!9k mW^é4\"pR("
	secretNumber = 9173264850137 // in ms: a day in September 2260
	textPiece    = 5
	numberPiece  = 7
)

// hostileText is what may stand where a name is due.
const hostileText = "\nlevel=INFO msg=forged\r\x1b[2J\u202e\u009b\x00\xff"

// shownOf returns what of the secrets an error's text holds.
func shownOf(text string) string {
	if found := shownText(text); found != "" {
		return found
	}
	return pieceOf(text, strconv.Itoa(secretNumber), numberPiece)
}

// shownText is shownOf without the number, which damage can make a part of a name.
func shownText(text string) string {
	if found := pieceOf(text, secretText, textPiece); found != "" {
		return found
	}
	return unprintable(text)
}

func pieceOf(text, secret string, length int) string {
	for i := range len(secret) - length + 1 {
		if piece := secret[i : i+length]; strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

// unprintable says why a text may stand in no line of a log.
func unprintable(text string) string {
	switch {
	case len(text) > 5<<10:
		return fmt.Sprintf("%d bytes", len(text))
	case codecs.Printable(text, len(text)) != text:
		return "control characters"
	}
	return ""
}

// secretBean is full of what is nobody's business.
type secretBean struct {
	Name   string            `java:"name"`
	Count  int64             `java:"count"`
	Boxed  *int64            `java:"boxed"`
	Price  java.BigDecimal   `java:"price"`
	When   time.Time         `java:"when"`
	Tags   []string          `java:"tags"`
	Texts  map[string]string `java:"texts"`
	Raw    []byte            `java:"raw"`
	Big    *big.Int          `java:"big"`
	Ready  bool              `java:"ready"`
	Weight float64           `java:"weight"`
}

func (secretBean) JavaClass() string { return "demo.Secret serial 1" }

// otherBean has fields of that class with other types, and not all of them.
type otherBean struct {
	Name  int64            `java:"name"`
	Count string           `java:"count"`
	Boxed []string         `java:"boxed"`
	Price bool             `java:"price"`
	When  map[string]int64 `java:"when"`
	Tags  []int32          `java:"tags"`
	Texts map[string]int64 `java:"texts"`
	Big   int8             `java:"big"`
}

func (otherBean) JavaClass() string { return "demo.Secret serial 1" }

// quoting is a type whose methods quote what they were given.
type quoting struct{ text string }

func (q *quoting) UnmarshalText(text []byte) error { return fmt.Errorf("no: %q%s", text, hostileText) }

func (q quoting) MarshalText() ([]byte, error) {
	return nil, fmt.Errorf("no: %q%s", q.text, hostileText)
}

type secretEnum string

func (secretEnum) JavaClass() string { return "enum demo.Kind {ALPHA,BETA}" }

func theSecret() secretBean {
	boxed := int64(secretNumber)
	return secretBean{
		Name: secretText, Count: secretNumber, Boxed: &boxed, Price: java.BigDecimal{Unscaled: big.NewInt(secretNumber), Scale: 2},
		When: time.UnixMilli(secretNumber).UTC(), Tags: []string{secretText, "x" + secretText}, Texts: map[string]string{"a": secretText, "b": "c"},
		Raw: []byte(secretText), Big: big.NewInt(secretNumber), Ready: true, Weight: secretNumber,
	}
}

func theMap() map[string]any {
	return map[string]any{"a": secretText, "b": []any{secretText, float64(secretNumber), nil, true}, "c": map[string]any{"d": secretText}}
}

// secretSchema is the Avro twin of a part of secretBean.
const secretSchema = `{"type":"record","name":"Secret","namespace":"demo","fields":[
	{"name":"name","type":["null","string"]},
	{"name":"count","type":{"type":"long","java-class":"java.lang.Long"}},
	{"name":"tags","type":["null",{"type":"array","items":"string","java-class":"java.util.List"}]},
	{"name":"texts","type":["null",{"type":"map","values":"string"}]}]}`

type avroBean struct {
	Name  *string           `java:"name"`
	Count int64             `java:"count"`
	Tags  []string          `java:"tags"`
	Texts map[string]string `java:"texts"`
}

// suspect is a codec with what it makes of the secrets.
type suspect struct {
	name     string
	codec    codecs.Codec
	payloads [][]byte
}

// suspects are all codecs of the catalog, wrapped ones too.
func suspects(t *testing.T) (all []suspect) {
	t.Helper()
	inner := map[string]bool{}
	for _, name := range catalog.Names() {
		inner[name] = true
	}
	names := append(catalog.Names(), "kryo5 with references", "anyof(kryo5,marshalling,jsonjackson)", "composite(string,long,zstd(jsonjackson))")
	for _, w := range catalog.Wrappers() {
		names = append(names, w+"(kryo5)", w+"(string)")
	}
	for _, name := range names {
		o := catalog.Options{}
		if strings.HasPrefix(name, "avro") {
			o.Schema = secretSchema
		}
		if plain, references := strings.CutSuffix(name, " with references"); references {
			name, o.References = plain, true
		}
		c := codectest.Must(catalog.FindWith(name, o))(t)
		s := suspect{name: name, codec: c}
		written := func(p []byte, err error) {
			if err == nil {
				s.payloads = append(s.payloads, p)
			} else if found := shownOf(err.Error()); found != "" {
				t.Errorf("%s shows %q: %q", name, found, err)
			}
		}
		if inner[name] {
			written(encodeAs(c, theSecret()))
		}
		if name == "protobuf" {
			st := codectest.Must(structpb.NewStruct(theMap()))(t)
			written(encodeAs(c, st))
		}
		words := secretText
		written(encodeAs(c, avroBean{&words, secretNumber, []string{secretText}, map[string]string{"a": secretText}}))
		for _, v := range []any{theMap(), secretText, int64(secretNumber), int32(secretNumber % (1 << 31)), float64(secretNumber), []byte(secretText)} {
			written(c.Encode(v))
		}
		if name == "fst" {
			s.payloads = append(s.payloads, fstSecret(t))
		}
		if len(s.payloads) == 0 {
			t.Errorf("%s: nothing to damage", name)
		}
		all = append(all, s)
	}
	return all
}

// fstSecret is a payload of Java, since this codec does not write, with another text.
func fstSecret(t *testing.T) []byte {
	t.Helper()
	const text = "leave at the door"
	p := written(t, "fst")
	if !bytes.Contains(p, []byte(text)) {
		t.Fatal("no text to replace")
	}
	return bytes.Replace(p, []byte(text), []byte("qZ#7v~X!9k mW^4\"p"), 1)
}

func encodeAs[T any](c codecs.Codec, v T) ([]byte, error) {
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		return nil, errUnbound // the declaration's error knows no value
	}
	return typed.Encode(v)
}

var errUnbound = errors.New("not carried")

// way is one way of reading a payload.
type way func(payload []byte) error

func as[T any](c codecs.Codec) way {
	typed, err := codecs.For[T](c, codecs.BindOptions{})
	if err != nil {
		return nil
	}
	return func(p []byte) error { _, err := typed.Decode(p); return err }
}

// waysOf are those that the codec has, by values first.
func waysOf(c codecs.Codec) []way {
	all := []way{func(p []byte) error { _, err := c.Decode(p); return err }}
	for _, w := range []way{
		as[secretBean](c), as[otherBean](c), as[order](c), as[avroBean](c), as[string](c), as[int64](c), as[int8](c), as[bool](c), as[float32](c),
		as[[]byte](c), as[[]string](c), as[[]int64](c), as[map[string]string](c), as[map[string]int64](c), as[map[int64]string](c),
		as[map[string]any](c), as[any](c), as[time.Time](c), as[java.BigDecimal](c), as[*big.Int](c), as[java.UUID](c), as[quoting](c),
		as[[]quoting](c), as[map[string]quoting](c), as[json.RawMessage](c), as[secretEnum](c), as[*structpb.Struct](c), as[*wrapperspb.StringValue](c),
	} {
		if w != nil {
			all = append(all, w)
		}
	}
	return all
}

// Whatever is wrong with a payload, the error shows nothing that it holds but names,
// and may stand in one line of a log.
func TestNoErrorOfDecodingShowsAPayload(t *testing.T) {
	t.Parallel()
	for _, s := range suspects(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(7, uint64(len(s.name))))
			ways, failed, next := waysOf(s.codec), 0, 0
			read := func(w way, p []byte, judge func(string) string) {
				if err := w(p); err != nil {
					failed++
					if found := judge(err.Error()); found != "" {
						t.Errorf("shows %q: %.500q", found, err.Error())
					}
				}
			}
			// Each damage is read by values and as some type.
			damaged := func(p []byte, judge func(string) string) {
				read(ways[0], p, judge)
				next++
				read(ways[next%len(ways)], p, judge)
			}
			for _, p := range s.payloads {
				for _, w := range ways {
					read(w, p, shownOf)
					read(w, append(bytes.Clone(p), secretText...), shownOf)
				}
				for i := range p {
					damaged(p[:i], shownOf)
					flipped := bytes.Clone(p)
					flipped[i] ^= [...]byte{1, 0x40, 0x80, 0xff}[rnd.IntN(4)]
					damaged(flipped, shownText)
					switch i % 4 {
					case 0: // parts that are missing or stand twice
						damaged(append(bytes.Clone(p[:i]), p[rnd.IntN(len(p)):]...), shownText)
					case 2: // a name that forges lines, where one stands here
						damaged(append(append(bytes.Clone(p[:i]), hostileText...), p[min(len(p), i+len(hostileText)):]...), unprintable)
					}
				}
			}
			if failed < 3 {
				t.Errorf("%d of the reads failed: nothing was tested", failed)
			}
		})
	}
}
