package config

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// field is one setting: what YAML and the environment can set.
type field struct {
	path   string // as in YAML, for example "redis.tls.ca_file"
	redact string // "", "url" or "all"
	value  reflect.Value
}

// fieldsOf lists all settings of the struct that into points to, in its order.
func fieldsOf(into any) []field {
	return appendFields(nil, "", reflect.ValueOf(into).Elem())
}

func appendFields(fields []field, prefix string, v reflect.Value) []field {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		path := prefix + f.Tag.Get("yaml")
		if f.Type.Kind() == reflect.Struct {
			fields = appendFields(fields, path+".", v.Field(i))
			continue
		}
		fields = append(fields, field{path: path, redact: f.Tag.Get("redact"), value: v.Field(i)})
	}
	return fields
}

// env is the name of the field's environment variable.
func (f field) env(prefix string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(f.path, ".", "_"))
}

// set parses text into the field.
func (f field) set(text string) error {
	switch p := f.value.Addr().Interface().(type) {
	case *time.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return errors.New("is no duration: write it with its unit, like 30s, 5m or 1h30m")
		}
		*p = d
	case *[]string:
		*p = nil
		for part := range strings.SplitSeq(text, ",") {
			*p = append(*p, strings.TrimSpace(part))
		}
	case *bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("is neither true nor false")
		}
		*p = b
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return errors.New("is no whole number")
		}
		*p = n
	case *float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.New("is no number")
		}
		*p = n
	default: // a string, or a type made of one
		f.value.SetString(text)
	}
	return nil
}

// show is text as an error may print it.
func (f field) show(text string) string {
	switch f.redact {
	case "all":
		return HideSecret(text)
	case "url":
		return HideURL(text)
	default:
		return text
	}
}
