package fxstop

import (
	"reflect"
	"time"
)

// TimeoutOf returns the stop timeout of the application to which s, an fx.Shutdowner, belongs.
// fx has no call for it, so this reads the App that s points to. ok is false if another release of fx
// has other fields; then the log does not warn.
func TimeoutOf(s any) (stop time.Duration, ok bool) {
	at := reflect.ValueOf(s)
	for _, field := range []string{"app", "stopTimeout"} {
		for at.Kind() == reflect.Pointer || at.Kind() == reflect.Interface {
			at = at.Elem()
		}
		if at.Kind() != reflect.Struct {
			return 0, false
		}
		at = at.FieldByName(field)
	}
	if !at.IsValid() || at.Type() != reflect.TypeFor[time.Duration]() {
		return 0, false
	}
	return time.Duration(at.Int()), true
}
