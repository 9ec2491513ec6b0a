package registry

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Validate checks queues alone and against each other and returns all mistakes
// together, joined by errors.Join in the order of the queues, or nil. The
// errors are [*NameError], [*OptionError], [*PayloadError],
// [*DuplicateCodeError], [*DuplicateKeyError] and [*TwinError]; each tells
// where the queue was declared.
func Validate(ds ...Descriptor) error {
	var all []error
	byCode, byKey := map[string]Descriptor{}, map[string]Descriptor{}
	for i, d := range ds {
		if d == nil || reflect.ValueOf(d).IsNil() {
			all = append(all, fmt.Errorf("registry: queue number %d of %d is nil", i+1, len(ds)))
			continue
		}
		all = append(all, d.errs()...)
		if d.Declared() == "" {
			continue // nothing more to know about it
		}
		if first, ok := byCode[d.Code()]; ok {
			all = append(all, &DuplicateCodeError{Code: d.Code(), First: first.Declared(), Second: d.Declared()})
			continue
		}
		byCode[d.Code()] = d
		if err := checkKey(byKey, d); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// checkKey compares the key of d with those before it, and notes it.
func checkKey(byKey map[string]Descriptor, d Descriptor) error {
	if first, ok := byKey[d.Key()]; ok {
		return &DuplicateKeyError{
			Key: d.Key(), FirstCode: first.Code(), SecondCode: d.Code(),
			First: first.Declared(), Second: d.Declared(),
		}
	}
	byKey[d.Key()] = d
	other, has := twin(d.Key())
	if first, ok := byKey[other]; has && ok {
		return &TwinError{
			FirstCode: first.Code(), SecondCode: d.Code(), FirstKey: first.Key(), SecondKey: d.Key(),
			First: first.Declared(), Second: d.Declared(),
		}
	}
	return nil
}

// twin returns the key whose delayed structures have the same names, and
// whether there is one: Redisson puts braces around a name unless there is an
// opening one in it already.
func twin(key string) (string, bool) {
	if !strings.Contains(key, "{") {
		return "{" + key + "}", true
	}
	inner, opened := strings.CutPrefix(key, "{")
	inner, closed := strings.CutSuffix(inner, "}")
	return inner, opened && closed && !strings.Contains(inner, "{")
}
