package framework

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// configField is one setting of a Config: what YAML and the environment can set.
type configField struct {
	path   string // as in YAML, for example "redis.tls.ca_file"
	redact string // "", "url" or "all"
	value  reflect.Value
}

// configFields lists all settings of cfg in the order of the struct.
func configFields(cfg *Config) []configField {
	return appendFields(nil, "", reflect.ValueOf(cfg).Elem())
}

func appendFields(fields []configField, prefix string, v reflect.Value) []configField {
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
		fields = append(fields, configField{path: path, redact: f.Tag.Get("redact"), value: v.Field(i)})
	}
	return fields
}

// env is the name of the field's environment variable.
func (f configField) env(prefix string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(f.path, ".", "_"))
}

// set parses text into the field.
func (f configField) set(text string) error {
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
	default: // strings and Mode
		f.value.SetString(text)
	}
	return nil
}

// show is text as an error may print it.
func (f configField) show(text string) string {
	switch f.redact {
	case "all":
		return redactSecret(text)
	case "url":
		return redactURL(text)
	default:
		return text
	}
}

// didYouMean asks for the known word nearest to a misspelt one, or returns "".
func didYouMean(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return fmt.Sprintf("; did you mean %s?", best)
	}
	return ""
}

// nearest returns the known word of which another is likely a misspelling, or "".
func nearest(word string, known []string) string {
	best, distance := "", 1+max(2, len(word)/4) // two: a swap of letters
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), strings.ToLower(k)); d < distance && 2*d < len(word) {
			best, distance = k, d
		}
	}
	return best
}

// editDistance counts the letters to change, add or drop.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = slices.Min([]int{change, row[j] + 1, row[j+1] + 1})
		}
	}
	return row[len(b)]
}
