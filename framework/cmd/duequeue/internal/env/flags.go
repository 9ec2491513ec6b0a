package env

import (
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/registry"
)

// Bool makes a flag that is there or not.
func Bool(to *bool, name string, value bool, usage string) cli.Flag {
	return &cli.BoolFlag{Name: name, Usage: usage, Value: value, Destination: to}
}

// String makes a flag with a text. A word in backquotes in the usage names the text.
func String(to *string, name, value, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Value: value, Destination: to}
}

// Int makes a flag with a number.
func Int(to *int, name string, value int, usage string) cli.Flag {
	return &cli.IntFlag{Name: name, Usage: usage, Value: value, Destination: to}
}

// Int64 makes a flag with a number.
func Int64(to *int64, name string, value int64, usage string) cli.Flag {
	return &cli.Int64Flag{Name: name, Usage: usage, Value: value, Destination: to}
}

// Float makes a flag with a number that may have a fraction.
func Float(to *float64, name string, value float64, usage string) cli.Flag {
	return &cli.FloatFlag{Name: name, Usage: usage, Value: value, Destination: to}
}

// Duration makes a flag with a length of time: 90m, 36h.
func Duration(to *time.Duration, name string, value time.Duration, usage string) cli.Flag {
	return &cli.DurationFlag{Name: name, Usage: usage, Value: value, Destination: to}
}

// List makes a flag that may be given several times, with several texts by comma each time.
func List(to *[]string, name, usage string) cli.Flag {
	return Func(name, usage, func(text string) error {
		*to = append(*to, strings.Split(text, ",")...)
		return nil
	})
}

// Func makes a flag that may be given several times: set gets each text.
func Func(name, usage string, set func(text string) error) cli.Flag {
	return &cli.StringFlag{Name: name, Usage: usage, Validator: set}
}

// Views are the views of a queue by the names that flags have for them.
var Views = map[string]registry.ViewMode{"exact": registry.ViewExact, "off": registry.ViewOff}
