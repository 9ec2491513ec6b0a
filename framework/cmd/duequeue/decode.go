package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/sniff"
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
  -dialect D    codecs on Jackson: jackson2, jackson2-uuid, jackson2.9, jackson3
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

func decodeCommand() command {
	return command{
		name:  "decode",
		args:  "[PAYLOAD]",
		short: "show what is in a payload",
		long:  decodeHelp,
		setup: func(fs *flag.FlagSet) func(context.Context, *env, []string) error {
			d := &decoder{}
			fs.StringVar(&d.classes.name, "codec", "", "codec `NAME`, for example kryo5, JsonJacksonCodec, lz4(kryo5), anyof(kryo5,marshalling)")
			fs.Var(&d.paths, "classes", "know the user classes in `FILE.jar|DIR`; may be given several times")
			fs.BoolVar(&d.classes.opts.References, "refs", false, "the Java side has useReferences (kryo5)")
			fs.StringVar(&d.classes.opts.Since, "since", "", "`VERSION` that wrote: of Redisson, or of FST (fst)")
			fs.StringVar(&d.classes.opts.Dialect, "dialect", "", "`DIALECT` of the codecs on Jackson: jackson2, jackson2-uuid, jackson2.9, jackson3")
			fs.StringVar(&d.schema, "schema", "", "Avro schema of the Java side, an .avsc `FILE` (avrojackson, avrojackson3)")
			fs.Func("allowed", "`CLASSES` that the Java side registered, in order, with commas (kryo5, fst)", d.allow)
			fs.StringVar((*string)(&d.in), "in", "hex", "how the payload is written down: hex, base64 or raw `FORM`")
			fs.StringVar(&d.file, "file", "", "read from `FILE` instead of standard input")
			fs.BoolVar(&d.lines, "lines", false, "one payload per line, one line of JSON each")
			fs.BoolVar(&d.roundtrip, "roundtrip", false, "tell whether encoding again gives the same bytes")
			fs.IntVar(&d.max, "max", codecs.DefaultMaxBytes, "most `BYTES` of one payload")
			return d.run
		},
	}
}

// decoder is one run of the decode command.
type decoder struct {
	classes   userClasses
	paths     pathList
	in        encoding
	file      string
	schema    string // a file
	guess     bool   // no codec was named
	lines     bool
	roundtrip bool
	max       int

	codec codecs.Codec
}

func (d *decoder) run(ctx context.Context, e *env, args []string) (err error) {
	if err = d.check(args); err != nil {
		return err
	}
	if len(d.paths) > 0 {
		if d.classes.source, err = classfile.Open(d.paths...); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.classes.source.Close()) }()
	}
	if err = d.readSchema(); err != nil {
		return err
	}
	if err = d.preload(); err != nil {
		return err
	}
	if d.lines {
		return d.runLines(ctx, e)
	}
	payload, err := d.payload(e, args)
	if err != nil {
		return err
	}
	r := d.decode(payload)
	if !e.json {
		r.guess.print(e.stderr)
		r.printRest(d.codec, e.stderr)
	}
	if e.json {
		if _, err := e.stdout.Write(append(r.json(d.roundtrip), '\n')); err != nil {
			return err
		}
	} else if r.err != nil {
		d.printFailure(e, r)
	} else if err := d.print(e, r); err != nil {
		return err
	}
	if r.err != nil {
		return errReported
	}
	return nil
}

func (d *decoder) check(args []string) error {
	if err := d.in.valid(); err != nil {
		return err
	}
	switch {
	case len(args) > 1:
		return usagef("one payload at most, got %d arguments; with -lines they are read from -file or standard input", len(args))
	case len(args) == 1 && d.file != "":
		return usagef("a payload and -file: give one of them")
	case len(args) == 1 && d.lines:
		return usagef("-lines reads from -file or standard input, not from an argument")
	case d.max <= 0:
		return usagef("-max %d: it must be positive", d.max)
	}
	d.classes.opts.Limits.Bytes = d.max
	d.classes.loaded = map[string]bool{}
	return nil
}

// readSchema reads the file of -schema.
func (d *decoder) readSchema() error {
	if d.schema == "" {
		return nil
	}
	text, err := os.ReadFile(d.schema)
	if err != nil {
		return err
	}
	if d.classes.opts.Schema = string(text); strings.TrimSpace(d.classes.opts.Schema) == "" {
		return usagef("-schema %s: it is empty", d.schema)
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
		d.classes.opts.Allowed = append(d.classes.opts.Allowed, name)
	}
	return nil
}

// payload returns the bytes of the one payload.
func (d *decoder) payload(e *env, args []string) ([]byte, error) {
	if len(args) == 1 {
		return d.in.bytes([]byte(args[0]))
	}
	src, err := e.source(d.file)
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
	payload   []byte
	value     any
	err       error
	same      bool  // encoding again gave the payload
	encodeErr error // why it could not be encoded again
	guess     *guessed
}

func (d *decoder) decode(payload []byte) result {
	switch {
	case len(payload) > d.max:
		name := "none"
		if !d.guess {
			name = d.codec.Name()
		}
		return result{payload: payload, err: &codecs.DecodeError{
			Codec: name, Offset: -1,
			Reason: fmt.Sprintf("payload of %d bytes, the limit is %d (-max)", len(payload), d.max),
		}}
	case d.guess:
		return d.decodeGuessed(payload)
	}
	return d.decodeNamed(payload)
}

// decodeNamed decodes with the codec that is chosen.
func (d *decoder) decodeNamed(payload []byte) result {
	r := result{payload: payload}
	if r.value, r.err = d.decodeKnowing(payload); r.err == nil && d.roundtrip {
		var again []byte
		again, r.encodeErr = d.codec.Encode(r.value)
		r.same = r.encodeErr == nil && bytes.Equal(again, payload)
	}
	return r
}

// printFailure shows people on stderr why the payload of r cannot be decoded.
func (d *decoder) printFailure(e *env, r result) {
	fmt.Fprintf(e.stderr, "duequeue: %v\n", r.err)
	if text := d.advise(r.err); text != "" {
		fmt.Fprintln(e.stderr, text)
	}
	if r.value != nil {
		p := newPrinter(r.value)
		p.value(r.value, 1)
		fmt.Fprintf(e.stderr, "Decoded before the error:\n  %s\n", p.out.Bytes())
	}
	d.printGuesses(e.stderr, r.payload)
}

// print shows a decoded r to people on stdout.
func (d *decoder) print(e *env, r result) error {
	p := newPrinter(r.value)
	p.value(r.value, 0)
	p.out.WriteByte('\n')
	if d.roundtrip {
		switch {
		case r.encodeErr != nil:
			fmt.Fprintf(&p.out, "encoding it again fails: %v\n", r.encodeErr)
		case r.same:
			p.out.WriteString("encoding it again gives the same bytes\n")
		default:
			p.out.WriteString("encoding it again gives other bytes\n")
		}
	}
	_, err := e.stdout.Write(p.out.Bytes())
	return err
}

// printGuesses tells which codecs the payload looks like.
func (d *decoder) printGuesses(w io.Writer, payload []byte) {
	guesses := sniff.Guess(payload)
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
