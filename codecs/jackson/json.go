package jackson

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/databind"
	"github.com/duequeue/duequeue/codecs/internal/errpath"
	"github.com/duequeue/duequeue/codecs/internal/option"
	"github.com/duequeue/duequeue/codecs/internal/token"
	"github.com/duequeue/duequeue/codecs/java"
)

// NameJSON is the canonical name of [JSON].
const NameJSON = "json"

// JSON returns the codec of plain JSON, canonical name "json", for the queues of teams
// whose Java side puts JSON text through StringCodec:
//
//	RBlockingQueue<String> queue = redisson.getBlockingQueue("orders", StringCodec.INSTANCE);
//	queue.offer(mapper.writeValueAsString(order));   // Java, with its own mapper
//	registry.Codec(jackson.JSON())                   // Go
//
// Go types are carried by encoding/json, with their json tags, MarshalJSON and
// UnmarshalJSON. Written is one compact value without HTML escapes; note that Java
// compares bytes in remove and contains, and that its mapper may order fields in
// another way.
//
// Reading is stricter than encoding/json. Before a Go value is touched the payload is
// checked as a whole: it is one value within [Limits], nothing follows it, and its text
// is UTF-8 without halves of surrogate pairs, which encoding/json would replace without
// a word ([ReplaceInvalidUTF8] allows that). Text that is not UTF-8 is not written
// either. Errors name the place: [codecs.DecodeError] with byte and path. Numbers
// in interfaces come as [json.Number], which keeps each digit; integer fields take all
// 64 bits.
//
// More lenient than encoding/json it is with what Java's libraries write. A time.Time takes the
// dates of fastjson, Hutool, Gson and Spring: RFC 3339, "2024-01-02 03:04:05",
// "2024-01-02T03:04:05", "2024-01-02", "Jan 2, 2024, 3:04:05 AM" and milliseconds since 1970;
// those without a zone are in the TimeZone of the [Mapper], which is UTC where none is given. A
// number takes its text, as ToStringSerializer and WriteLongAsString write it, and an empty
// text is null for both. Fields with the flag string of a json tag take both forms, too.
//
// A [Mapper] says how Java wants dates and Longs: its Dates, DateFormat, TimeZone and LongAsText.
// Without one, dates are written in RFC 3339. What an interface holds is written without it.
//
//	jackson.JSON(jackson.Mapper{DateFormat: "yyyy-MM-dd HH:mm:ss", TimeZone: "GMT+8"}) // fastjson2
//	jackson.JSON(jackson.Mapper{Dates: jackson.Timestamps})                            // fastjson, Hutool
//	jackson.JSON(jackson.Mapper{Dates: jackson.DateTexts, LongAsText: true})           // Spring
//
// Without a Go type, maps and lists come as *java.Map and *java.List; whole numbers
// as int32, int64 or *big.Int, fractions as float64, or as java.BigDecimal where that
// is not how Java prints the double; such values are written the same again.
//
// Options other than [Limits], [ReplaceInvalidUTF8] and [Mapper] are mistakes.
func JSON(opts ...Option) codecs.Codec {
	plain, err := databind.PlainOptions(opts)
	return newPlain(plain, err)
}

func newPlain(plain databind.Plain, err error) *plainCodec {
	c := &plainCodec{Plain: plain, err: err, name: NameJSON}
	if text := plain.Mapper.Text(); text != "" {
		c.name += "+" + text
	}
	c.values = databind.New(format(NameJSON), databind.Rules{Jackson: 3}, databind.Limits(plain.Limits))
	c.checks.New = func() any { return new(jsonCheck) }
	return c
}

// ReplaceInvalidUTF8 says that [JSON] takes bytes that are not UTF-8, and halves of
// surrogate pairs, as U+FFFD, as Java's StringCodec does when it reads. All other
// codecs refuse the option.
func ReplaceInvalidUTF8() Option { return databind.ReplaceInvalidUTF8() }

// plainCodec is the codec of plain JSON.
type plainCodec struct {
	databind.Plain
	name   string
	values *databind.Codec // for values without a Go type
	err    error           // mistakes in the options
	checks sync.Pool       // of *jsonCheck
}

var _ codecs.Codec = (*plainCodec)(nil)

func (c *plainCodec) Name() string { return c.name }

func (c *plainCodec) WritesEmpty() bool { return false }

func (c *plainCodec) Limits() codecs.Limits { return c.Plain.Limits }

// WithLimits returns the same codec with these limits, as [Limits] takes them.
func (c *plainCodec) WithLimits(l codecs.Limits) codecs.Codec {
	plain := c.Plain
	plain.Limits = l.WithDefaults()
	return newPlain(plain, c.err)
}

func (c *plainCodec) Decode(payload []byte) (any, error) {
	if c.err != nil {
		return nil, &codecs.DecodeError{Codec: NameJSON, Offset: -1, Reason: option.Wrong, Err: c.err}
	}
	payload, check, err := c.check(payload)
	if err != nil {
		return nil, err
	}
	c.release(check)
	return c.values.Decode(payload)
}

func (c *plainCodec) Encode(value any) ([]byte, error) {
	if c.err != nil {
		return nil, &codecs.EncodeError{Codec: NameJSON, Type: reflect.TypeOf(value), Reason: option.Wrong, Err: c.err}
	}
	return c.values.Encode(value)
}

func (c *plainCodec) Bind(t reflect.Type, opts codecs.BindOptions) (codecs.Binding, error) {
	switch {
	case c.err != nil:
		return nil, &codecs.BindError{Codec: NameJSON, Type: t, Reason: option.Wrong, Err: c.err}
	case t == nil:
		return nil, &codecs.BindError{Codec: NameJSON, Reason: "no type given"}
	case t == reflect.TypeFor[*java.Map](), t == reflect.TypeFor[*java.List]():
		return c.values.Bind(t, opts)
	}
	walk := jsonWalk{seen: map[reflect.Type]bool{}}
	walk.visit(t, "")
	if len(walk.errs) > 0 {
		return nil, errors.Join(walk.errs...)
	}
	return &jsonBinding{codec: c, typ: t, numbers: walk.open}, nil
}

// jsonCheck is what one check of a payload needs.
type jsonCheck struct {
	tape    token.Tape
	builder token.Builder
}

// check sees to it that payload is one JSON value within the limits whose texts a Go
// string can hold. It returns the payload to decode, with invalid text replaced where
// that is wanted, and what knows its places, which goes back by release.
func (c *plainCodec) check(payload []byte) ([]byte, *jsonCheck, error) {
	if c.Replace && len(payload) <= c.Plain.Limits.Bytes {
		payload = bytes.ToValidUTF8(payload, []byte("\uFFFD"))
	}
	check := c.checks.Get().(*jsonCheck)
	check.tape.Asked, check.tape.Wrapper = c.Plain.Limits, nil
	err := c.values.Tape(&check.builder, &check.tape, payload, c.Plain.Limits)
	if err == nil && !c.Replace {
		err = check.wholeRunes()
	}
	if err == nil && bytes.HasPrefix(payload, []byte(byteOrderMark)) {
		payload = payload[len(byteOrderMark):]
	}
	if err != nil {
		c.release(check)
		return nil, nil, err
	}
	return payload, check, nil
}

func (c *plainCodec) release(check *jsonCheck) {
	check.tape.Reset(nil)
	c.checks.Put(check)
}

// wholeRunes reports halves of surrogate pairs. The tape keeps them as three bytes, and
// only texts with escapes or of odd bytes in Extra.
func (k *jsonCheck) wholeRunes() error {
	for at := 0; ; at++ {
		n := bytes.IndexByte(k.tape.Extra[at:], 0xED)
		if n < 0 {
			return nil
		}
		if at += n; at+1 >= len(k.tape.Extra) || k.tape.Extra[at+1] < 0xA0 {
			continue
		}
		for i := range k.tape.Tokens {
			t := &k.tape.Tokens[i]
			if t.Flags&token.FlagExtra != 0 && at >= int(t.Off) && at < int(t.Off+t.Len) {
				return &codecs.DecodeError{
					Codec: NameJSON, Path: k.tape.Path(i), Offset: int(t.At),
					Reason: "a text with half of a surrogate pair, which no Go string holds",
				}
			}
		}
	}
}

// token returns the token of which encoding/json had read so many bytes.
func (k *jsonCheck) token(read int64) int {
	i, _ := slices.BinarySearchFunc(k.tape.Tokens, read, func(t token.Token, read int64) int {
		if int64(t.At) < read {
			return -1
		}
		return 1
	})
	return max(i-1, 0)
}

// place returns the path and offset of a token.
func (k *jsonCheck) place(i int) (path string, offset int) {
	if i >= len(k.tape.Tokens) {
		return "", -1
	}
	return k.tape.Path(i), int(k.tape.Tokens[i].At)
}

// jsonBinding carries one Go type by encoding/json.
type jsonBinding struct {
	codec   *plainCodec
	typ     reflect.Type
	numbers bool // it has interfaces, which get json.Number
}

func (b *jsonBinding) Decode(payload []byte, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != b.typ {
		return &codecs.DecodeError{Codec: NameJSON, Offset: -1, Reason: "the target is not a pointer to the bound type"}
	}
	payload, check, err := b.codec.check(payload)
	if err != nil {
		return err
	}
	defer b.codec.release(check)
	err = b.unmarshal(payload, target)
	if err == nil {
		return nil
	}
	forms := jsonForms{codec: b.codec, tape: &check.tape, leaf: readForm, bad: -1}
	forms.walk(b.typ, 0, false)
	tokens := check
	if forms.out != nil && forms.bad < 0 {
		payload, tokens, err = b.codec.check(forms.end())
		if err != nil {
			return err
		}
		defer b.codec.release(tokens)
		if err = b.unmarshal(payload, target); err == nil {
			return nil
		}
	}
	out := &codecs.DecodeError{Codec: NameJSON, Offset: -1, Reason: "the Go type does not take it", Err: codecs.Withheld(err)}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		out.Path, out.Offset = check.place(tokens.token(wrong.Offset))
		kind, _, _ := strings.Cut(wrong.Value, " ") // "number 300"
		out.Reason, out.Err = "found "+kind+" where Go type "+wrong.Type.String()+" is due", nil
	} else if forms.bad >= 0 {
		out.Path, out.Offset = check.place(forms.bad)
		out.Reason, out.Err = "the text is no date", nil
	}
	return out
}

func (b *jsonBinding) unmarshal(payload []byte, target any) error {
	reflect.ValueOf(target).Elem().SetZero()
	if !b.numbers {
		return json.Unmarshal(payload, target)
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	return d.Decode(target)
}

// refused is an error of encoding/json about a value, which methods of the value's parts
// may quote.
func (b *jsonBinding) refused(err error) error {
	e := &codecs.EncodeError{Codec: NameJSON, Type: b.typ, Reason: "encoding/json refuses it", Err: err}
	var method *json.MarshalerError
	var kind *json.UnsupportedTypeError
	var value *json.UnsupportedValueError // NaN, or a cycle
	switch {
	case errors.As(err, &method):
		e.Reason += ": a method of " + method.Type.String() + " fails"
		e.Err = codecs.Withheld(method.Err)
	case !errors.As(err, &kind) && !errors.As(err, &value):
		e.Err = codecs.Withheld(err)
	}
	return e
}

func (b *jsonBinding) Append(dst []byte, value any) ([]byte, error) {
	out := appender{slices.Grow(dst, 192)}
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return dst, b.refused(err)
	}
	payload := out.b[len(dst) : len(out.b)-1] // without the line feed that Encode adds
	if limit := b.codec.Plain.Limits.Bytes; len(payload) > limit {
		reason := fmt.Sprintf("payload of %d bytes, the limit is %d (Limits.Bytes)", len(payload), limit)
		return dst, &codecs.EncodeError{Codec: NameJSON, Type: b.typ, Reason: reason}
	}
	// This is how encoding/json writes bytes that are no text; or what MarshalJSON gave.
	if bytes.Contains(payload, []byte(`\ufffd`)) {
		if path, bad := findInvalid(reflect.ValueOf(value), "", maxTextWalk); bad {
			return dst, &codecs.EncodeError{
				Codec: NameJSON, Type: b.typ, Path: path, Reason: "not UTF-8: a Java String cannot hold it; carry bytes as []byte",
			}
		}
	}
	if b.codec.Mapper != (databind.Mapper{}) {
		return b.inForm(dst, payload)
	}
	return out.b[:len(out.b)-1], nil
}

// inForm appends a payload of encoding/json in the forms of the mapper.
func (b *jsonBinding) inForm(dst, payload []byte) ([]byte, error) {
	_, check, err := b.codec.check(payload)
	if err != nil {
		return dst, &codecs.EncodeError{Codec: NameJSON, Type: b.typ, Reason: "it is beyond what can be read", Err: err}
	}
	defer b.codec.release(check)
	forms := jsonForms{codec: b.codec, tape: &check.tape, leaf: writeForm, bad: -1}
	forms.walk(b.typ, 0, false)
	if forms.bad >= 0 {
		path, _ := check.place(forms.bad)
		return dst, &codecs.EncodeError{Codec: NameJSON, Type: b.typ, Path: path, Reason: "patterns of dates have the years from 1 to 9999"}
	}
	return append(dst, forms.end()...), nil
}

// appender is a writer that appends.
type appender struct{ b []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.b = append(a.b, p...)
	return len(p), nil
}

// jsonWalk looks through a Go type for what encoding/json cannot carry, and for
// interfaces.
type jsonWalk struct {
	seen map[reflect.Type]bool
	errs []error
	open bool // there is an interface
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// ownForm reports whether a type, or a pointer to it, says itself how it is written.
func ownForm(t reflect.Type) bool {
	for _, t := range [...]reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(marshaler) || t.Implements(textMarshaler) {
			return true
		}
	}
	return false
}

// jsonName returns the name of a field, and whether encoding/json carries it.
func jsonName(f reflect.StructField) (name string, ok bool) {
	name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
	return cmp.Or(name, f.Name), f.Tag.Get("json") != "-" && (f.IsExported() || f.Anonymous)
}

func (w *jsonWalk) visit(t reflect.Type, path string) {
	if w.seen[t] || ownForm(t) {
		return
	}
	w.seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		w.open = true
	case reflect.Pointer, reflect.Slice, reflect.Array:
		w.visit(t.Elem(), path)
	case reflect.Map:
		switch k := t.Key(); {
		case k.Kind() == reflect.String, k.Implements(textMarshaler), k.Kind() >= reflect.Int && k.Kind() <= reflect.Uintptr:
		default:
			w.fail(t, path, "encoding/json has no keys of this type: use strings, integers or a type with MarshalText")
		}
		w.visit(t.Elem(), errpath.Join(path, "[]"))
	case reflect.Struct:
		for f := range t.Fields() {
			if name, ok := jsonName(f); ok {
				w.visit(f.Type, errpath.Join(path, name))
			}
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		w.fail(t, path, "encoding/json does not carry it: tag the field json:\"-\" or give the type a MarshalJSON method")
	default:
	}
}

func (w *jsonWalk) fail(t reflect.Type, path, reason string) {
	w.errs = append(w.errs, &codecs.BindError{Codec: NameJSON, Type: t, Path: path, Reason: reason})
}

// maxTextWalk bounds how deep findInvalid looks. Values that go round were refused.
const maxTextWalk = 1000

// findInvalid returns where a value holds a text that is not UTF-8.
func findInvalid(v reflect.Value, path string, depth int) (string, bool) {
	if !v.IsValid() || depth == 0 || ownForm(v.Type()) {
		return "", false
	}
	depth--
	switch v.Kind() {
	case reflect.String:
		return path, !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return findInvalid(v.Elem(), path, depth)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if at, bad := findInvalid(v.Index(i), path+"["+strconv.Itoa(i)+"]", depth); bad {
				return at, true
			}
		}
	case reflect.Map:
		for k, e := range v.Seq2() {
			if k.Kind() == reflect.String && !utf8.ValidString(k.String()) {
				return errpath.Join(path, "[key]"), true
			}
			if at, bad := findInvalid(e, errpath.Join(path, errpath.Key(fmt.Sprint(k))), depth); bad {
				return at, true
			}
		}
	case reflect.Struct:
		for f, e := range v.Fields() {
			if name, ok := jsonName(f); ok {
				if at, bad := findInvalid(e, errpath.Join(path, name), depth); bad {
					return at, true
				}
			}
		}
	default:
	}
	return "", false
}
