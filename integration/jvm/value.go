package jvm

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/duequeue/duequeue/codecs/java"
)

// Text is a value as the Java program reads and prints it: one line of JSON that
// keeps classes and order, or @name for one of its samples.
type Text string

// Sample names a value that the Java program makes by itself, see Samples.java.
func Sample(name string) Text { return Text("@" + name) }

// Encode writes a value of package java as the Java program reads it. Maps and
// lists must name their class.
func Encode(v any) (Text, error) {
	tree, err := lower(v)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(tree)
	return Text(b), err
}

// object is the JSON form of everything but null, booleans and strings.
type object map[string]any

func lower(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, string:
		return v, nil
	case *java.Map:
		entries := make([]any, 0, len(v.Entries))
		for _, e := range v.Entries {
			pair, err := lowerAll([]any{e.Key, e.Value})
			if err != nil {
				return nil, err
			}
			entries = append(entries, pair)
		}
		return object{"class": v.Class, "entries": entries}, nil
	case *java.List:
		elements, err := lowerAll(v.Elements)
		return object{"class": v.Class, "elements": elements}, err
	}
	return lowerScalar(v)
}

func lowerAll(values []any) ([]any, error) {
	out := make([]any, 0, len(values))
	for _, v := range values {
		tree, err := lower(v)
		if err != nil {
			return nil, err
		}
		out = append(out, tree)
	}
	return out, nil
}

func lowerScalar(v any) (any, error) {
	var text string
	switch v := v.(type) {
	case int8, int16, int32, int64:
		text = fmt.Sprint(v)
	case float32:
		text = float(float64(v), 32)
	case float64:
		text = float(v, 64)
	case []byte:
		text = hex.EncodeToString(v)
	case java.Char:
		text = string(rune(v))
	case *big.Int:
		text = v.String()
	case java.BigDecimal:
		text = decimal(v)
	case java.Date:
		text = strconv.FormatInt(v.Millis, 10)
	case java.UUID:
		text = uuid(v)
	default:
		return nil, fmt.Errorf("no Java value for %T", v)
	}
	return object{"class": java.ClassOf(v), "value": text}, nil
}

// float writes what Double.valueOf reads.
func float(f float64, bits int) string {
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if math.IsInf(f, 0) {
		text += "inity"
	}
	return text
}

// decimal writes what new BigDecimal reads, the scale by the exponent.
func decimal(d java.BigDecimal) string {
	return fmt.Sprintf("%dE%d", d.Unscaled, -int64(d.Scale))
}

func uuid(u java.UUID) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// Parse reads what the Java program printed into values of package java.
func Parse(text Text) (any, error) {
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		return nil, fmt.Errorf("value %.200q: %w", text, err)
	}
	return raise(tree)
}

func raise(tree any) (any, error) {
	o, isObject := tree.(map[string]any)
	if !isObject {
		return tree, nil
	}
	class, _ := o["class"].(string)
	if entries, ok := o["entries"].([]any); ok {
		return raiseMap(class, entries)
	}
	if elements, ok := o["elements"].([]any); ok {
		values, err := raiseAll(elements)
		return &java.List{Class: class, Elements: values}, err
	}
	if fields, ok := o["fields"].([]any); ok {
		return raiseObject(class, fields)
	}
	text, ok := o["value"].(string)
	if !ok {
		return nil, fmt.Errorf("value of class %s has no content", class)
	}
	return raiseScalar(class, text)
}

func raiseMap(class string, entries []any) (any, error) {
	m := &java.Map{Class: class}
	for _, e := range entries {
		pair, ok := e.([]any)
		if !ok || len(pair) != 2 {
			return nil, fmt.Errorf("map of class %s: an entry is no pair", class)
		}
		kv, err := raiseAll(pair)
		if err != nil {
			return nil, err
		}
		m.Entries = append(m.Entries, java.Entry{Key: kv[0], Value: kv[1]})
	}
	return m, nil
}

func raiseObject(class string, fields []any) (any, error) {
	o := &java.Object{Class: class}
	for _, f := range fields {
		pair, ok := f.([]any)
		if !ok || len(pair) != 2 {
			return nil, fmt.Errorf("bean of class %s: a field is no pair", class)
		}
		v, err := raise(pair[1])
		if err != nil {
			return nil, err
		}
		name, _ := pair[0].(string)
		o.Fields = append(o.Fields, java.Field{Name: name, Value: v})
	}
	return o, nil
}

func raiseAll(trees []any) ([]any, error) {
	out := make([]any, 0, len(trees))
	for _, tree := range trees {
		v, err := raise(tree)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

func raiseScalar(class, text string) (any, error) {
	integer := func(bits int) (int64, error) { return strconv.ParseInt(text, 10, bits) }
	switch class {
	case "java.lang.Byte":
		n, err := integer(8)
		return int8(n), err
	case "java.lang.Short":
		n, err := integer(16)
		return int16(n), err
	case "java.lang.Integer":
		n, err := integer(32)
		return int32(n), err
	case "java.lang.Long":
		return integer(64)
	case "java.lang.Float":
		f, err := strconv.ParseFloat(text, 32)
		return float32(f), err
	case "java.lang.Double":
		return strconv.ParseFloat(text, 64)
	case "[B":
		return hex.DecodeString(text)
	}
	return java.Text{Class: class, Value: text}, nil // what toString says
}
