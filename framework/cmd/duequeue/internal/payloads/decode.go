package payloads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/payload"
)

const decodeHelp = `
The payload is the argument, the content of -file, or standard input. decode
shows what it holds with the Java classes that the codec names; if it cannot be
decoded, it says the place, the reason, and the codecs whose bytes look like that.

Without -codec the bytes decide which codec it is, as far as they can: standard error
names the codec, the reason, and what else it may be. Class names and magic numbers are
sure signs; a bare number or a short text fits several codecs.
Names of codecs are this module's or Java's: cborjackson, Kryo5Codec,
lz4(kryo5), anyof(kryo5,marshalling), composite(string,string,kryo5).

User classes of kryo5 and fst payloads are read with -classes: a jar, a directory
of classes, a .class file. All others name their fields: the codecs on Jackson read
them with -classes as they are declared, marshalling and serialization gain nothing.
Each codec refuses what is not its own. These settings change the bytes and are not in them:
  -refs         kryo5: the Java side has useReferences
  -since 3.45.1 written by that Redisson or a later one: kryo5, the codecs on Jackson,
                compressing codecs, which also mean another codec where they name none;
                fst: by that release of FST
  -allowed a,b  kryo5: allowedClasses of the Java side, in order; fst: registerClass
  -schema FILE  avrojackson, avrojackson3: the schema of the Java side, an .avsc file;
                alone it means avrojackson
Messages of protobuf need a generated type: they cannot be shown here.

With -lines every line is one payload and gives one line of JSON:
  {"class":"java.util.HashMap","value":{"orderId":"100"}}
  {"error":{"class":"","path":"items[3]","offset":17,"reason":"…"},"decoded":{…}}
where "decoded" is what came before the error, if anything. The exit
code is 1 if any of them failed. -roundtrip adds "same":true where
encoding the value again gives the same bytes, and "codec":"kryo5" where
no codec was named. -json prints a single payload in that form.

In the value, String, Boolean, Integer, finite Double and null are plain JSON;
all else is {"class":…,"value":…}: byte[] as base64, a Long beyond 2^53 and NaN
as a string, a map whose keys are not all Strings as a list of pairs.
`

// decodeCommand returns the command that shows what is in a payload.
func decodeCommand(e *env.Env) *cli.Command {
	d := &decoder{}
	return e.Command(env.Spec{
		Name: "decode", Args: "[PAYLOAD]", Short: "show what is in a payload", Group: env.GroupPayload, Long: decodeHelp,
		Examples: []string{"duequeue decode 036162e3", "redis-cli --no-raw LINDEX ORDERS 0 | duequeue decode -in raw", "duequeue decode -codec kryo5 -classes shop.jar -file order.hex"},
		Flags: []cli.Flag{
			env.String(&d.settings.Codec, "codec", "", "codec `NAME`, for example kryo5, JsonJacksonCodec, lz4(kryo5), anyof(kryo5,marshalling)"),
			env.Func("classes", "know the user classes in `FILE.jar|DIR`; may be given several times", d.paths.Set),
			env.Bool(&d.settings.Options.References, "refs", false, "the Java side has useReferences (kryo5)"),
			env.String(&d.settings.Options.Since, "since", "", "`VERSION` that wrote: of Redisson, or of FST (fst)"),
			env.String(&d.schema, "schema", "", "Avro schema of the Java side, an .avsc `FILE` (avrojackson, avrojackson3)"),
			env.Func("allowed", "`CLASSES` that the Java side registered, in order, with commas (kryo5, fst)", d.allow),
			env.String((*string)(&d.in), "in", "hex", "how the payload is written down: hex, base64 or raw `FORM`"),
			env.String(&d.file, "file", "", "read from `FILE` instead of standard input"),
			env.Bool(&d.lines, "lines", false, "one payload per line, one line of JSON each"),
			env.Bool(&d.roundtrip, "roundtrip", false, "tell whether encoding again gives the same bytes"),
			env.Int(&d.max, "max", codecs.DefaultMaxBytes, "most `BYTES` of one payload"),
		},
		Run: func(ctx context.Context, args []string) error { return d.run(ctx, e, args) },
	})
}

// decoder is one run of the decode command.
type decoder struct {
	settings  decoding.Settings
	paths     env.Paths
	in        encoding
	file      string
	schema    string // a file
	lines     bool
	roundtrip bool
	max       int

	reader *decoding.Reader
}

func (d *decoder) run(ctx context.Context, e *env.Env, args []string) (err error) {
	if err = d.check(args); err != nil {
		return err
	}
	if len(d.paths) > 0 {
		if d.settings.Classes, err = classfile.Open(d.paths...); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.settings.Classes.Close()) }()
	}
	if err = d.readSchema(); err != nil {
		return err
	}
	if d.reader, err = decoding.New(d.settings); err != nil {
		return usageOfSettings(err)
	}
	if d.lines {
		return d.runLines(ctx, e)
	}
	body, err := d.payload(e, args)
	if err != nil {
		return err
	}
	r := d.decode(body)
	if !e.JSON {
		printGuess(r.Guess, e.Stderr)
		r.printRest(e.Stderr)
	}
	if e.JSON {
		if _, err := e.Stdout.Write(append(r.json(d.roundtrip), '\n')); err != nil {
			return err
		}
	} else if r.Err != nil {
		d.printFailure(e, r)
	} else if err := d.print(e, r); err != nil {
		return err
	}
	if r.Err != nil {
		return env.ErrReported
	}
	return nil
}

func (d *decoder) check(args []string) error {
	if err := d.in.valid(); err != nil {
		return err
	}
	switch {
	case len(args) > 1:
		return env.Usagef("one payload at most, got %d arguments; with -lines they are read from -file or standard input", len(args))
	case len(args) == 1 && d.file != "":
		return env.Usagef("a payload and -file: give one of them")
	case len(args) == 1 && d.lines:
		return env.Usagef("-lines reads from -file or standard input, not from an argument")
	case d.max <= 0:
		return env.Usagef("-max %d: it must be positive", d.max)
	}
	d.settings.Options.Limits.Bytes = d.max
	return nil
}

// readSchema reads the file of -schema.
func (d *decoder) readSchema() error {
	if d.schema == "" {
		return nil
	}
	text, err := config.ReadFile(d.schema)
	if err != nil {
		return err
	}
	if d.settings.Options.Schema = string(text); strings.TrimSpace(d.settings.Options.Schema) == "" {
		return env.Usagef("-schema %s: it is empty", d.schema)
	}
	return nil
}

// allow reads -allowed.
func (d *decoder) allow(list string) error {
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return errors.New("a class name is empty")
		}
		d.settings.Options.Allowed = append(d.settings.Options.Allowed, name)
	}
	return nil
}

// payload returns the bytes of the one payload.
func (d *decoder) payload(e *env.Env, args []string) ([]byte, error) {
	if len(args) == 1 {
		return d.in.bytes([]byte(args[0]))
	}
	src, err := source(e, d.file)
	if err != nil {
		return nil, err
	}
	defer src.Close() //nolint:errcheck // only read from
	text, err := readAll(src, textLimit(d.max))
	if err != nil {
		return nil, err
	}
	return d.in.bytes(text)
}

// result is what became of one payload.
type result struct {
	decoding.Payload
	same      bool  // encoding again gave the payload
	encodeErr error // why it could not be encoded again
}

func (d *decoder) decode(body []byte) result {
	if len(body) > d.max {
		name := d.reader.Codec()
		if name == "" {
			name = "none"
		}
		return failed(&codecs.DecodeError{
			Codec: name, Offset: -1,
			Reason: fmt.Sprintf("payload of %d bytes, the limit is %d (-max)", len(body), d.max),
		})
	}
	r := result{Payload: d.reader.Read(body)}
	if r.Err == nil && d.roundtrip {
		r.same, r.encodeErr = r.Again()
	}
	return r
}

// failed is the result of what is no payload.
func failed(err error) result { return result{Payload: decoding.Payload{Err: err}} }

// printFailure shows people on stderr why the payload of r cannot be decoded.
func (d *decoder) printFailure(e *env.Env, r result) {
	fmt.Fprintf(e.Stderr, "duequeue: %v\n", r.Err)
	if class := r.NeedsClasses(); class != "" && !d.reader.HasClasses() {
		fmt.Fprintf(e.Stderr, "With -classes FILE.jar, a jar that has %s, it can be read.\n", class)
	}
	if r.Value != nil {
		fmt.Fprintf(e.Stderr, "Decoded before the error:\n  %s\n", tree(r.Value).Lines(1))
	}
	d.printGuesses(e.Stderr, r.Bytes)
}

// tree returns all of a value.
func tree(v any) *payload.Node { return payload.Tree(v, payload.Everything, payload.WideBounds) }

// print shows a decoded r to people on stdout.
func (d *decoder) print(e *env.Env, r result) error {
	out := bytes.NewBuffer(append(tree(r.Value).Lines(0), '\n'))
	if d.roundtrip {
		switch {
		case r.encodeErr != nil:
			fmt.Fprintf(out, "encoding it again fails: %v\n", r.encodeErr)
		case r.same:
			out.WriteString("encoding it again gives the same bytes\n")
		default:
			out.WriteString("encoding it again gives other bytes\n")
		}
	}
	_, err := e.Stdout.Write(out.Bytes())
	return err
}

// printGuesses tells which codecs the payload looks like.
func (d *decoder) printGuesses(w io.Writer, body []byte) {
	guesses := sniff.Guess(body)
	if len(guesses) == 0 {
		return
	}
	fmt.Fprintln(w, "The bytes look like")
	for _, g := range guesses {
		fmt.Fprintf(w, "  %-18s %-8s %s\n", g.Codec, g.Confidence, g.Why)
	}
}

// asDecodeError returns err as the error that a line of JSON shows.
func asDecodeError(err error) *codecs.DecodeError {
	var e *codecs.DecodeError
	if errors.As(err, &e) {
		return e
	}
	return &codecs.DecodeError{Offset: -1, Reason: err.Error()}
}
