package repair

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/compat"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/config"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/recode"
	"github.com/duequeue/duequeue/registry"
)

const recodeHelp = `
recode moves what is pending in a queue from one codec to another, so that the old codec may
go, or from the classes of one program to those of another one. The way between codecs:
  1. All processes read both codecs: in Go registry.Codec(codecs.AnyOf(NEW, OLD)), in Java a
     codec that does the same (BESIDE-JAVA.md has one). They write the new one.
  2. duequeue recode -dry-run, then without it. Java and Go go on. Each message
     keeps its due time, its place, its ID, its key, its attempts and its trace.
  3. When nothing is left, and what was ready, in flight or dead then is gone too, all
     processes read the new codec alone.

It reads what it has written, and leaves alone what does not come out the same, classes
included, what would be larger than -max-payload, and what it cannot read: -classes names
the jar with user classes. What Go offered within the last minute is left for a moment, since
it may be sent again after a lost reply;
recode waits until it is old enough. It takes a tenth of Redis's time (-share), in scripts of
a few ms. Interrupted, it may be run again. To go back, swap -from and -to.

With -old and -new it moves from the classes of one program to those of another one, within one
codec (-codec, one of those that "duequeue compat" judges): it reads each message by the old jar, and
writes what the new program reads, by the new one. That is for what compat calls WRONG or fails:
Kryo 5 above all, whose bytes only one of the two programs reads. So stop the takers of the old
program before, and start those of the new one afterwards; the producers may be of either. A new field
is null or zero, or keeps its initial value where the codec writes names. A number goes into another type
that holds it, a list into another kind of list. -map FILE says the rest, a fact on each line:
  class OLD NEW                  the class has another name now
  field OLD.FIELD NEWFIELD       the field has another name now
  drop OLD.FIELD                 its value may go
  constant OLD.NAME NEWNAME      the constant of an enum has another name now
  value NEW.FIELD JSON           what a new field holds, and one that was null
What has a value that goes nowhere, and what the new program could not read, stays as it is and is
listed. So does what both programs read as different values, as Kryo's constants of an enum that got
one more in front: -all-old FILE says that nothing of the new program is pending yet, so that
this is of the old one. FILE remembers what was written: give the same one when you run it again.

-json prints one line of JSON for each queue. The exit code is 0 if everything that is pending is in
the new codec or reads with the new classes, 1 if not (in a dry run: there is something to recode).

The Redis user needs what "duequeue acl -role operate" prints.
`

func recodeCommand(e *env.Env) *cli.Command {
	r := &recoding{e: e}
	return e.Command(env.Spec{
		Name: "recode", Args: "-from CODEC -to CODEC QUEUE...", Short: "move pending messages from one codec or Java class to another", Group: env.GroupRepair, Long: recodeHelp,
		Examples: []string{
			"duequeue recode -from kryo5 -to jsonjackson -dry-run ORDERS", "duequeue recode -from marshalling -to kryo5 -classes shop.jar ORDERS",
			"duequeue recode -old shop-1.4.jar -new shop-1.5.jar -codec kryo5 -map shop-1.5.map -dry-run ORDERS",
		}, JSON: recodeLine{},
		Flags: []cli.Flag{
			env.String(&r.from, "from", "", "codec `NAME` that may go"),
			env.String(&r.to, "to", "", "codec `NAME` to move to"),
			env.Func("classes", "know the user classes in `FILE.jar|DIR`; may be given several times", r.paths.Set),
			env.Func("old", "classes of the program that wrote the messages, `FILE.jar|DIR`; may be given several times", r.old.Set),
			env.Func("new", "classes of the program that will read them, `FILE.jar|DIR`; may be given several times", r.now.Set),
			env.String(&r.codec, "codec", "", "codec `NAME` of the messages, with -old and -new"),
			env.String(&r.class, "class", "", "messages are of `CLASS`, or of OLD=NEW: for typedjsonjackson, which writes no class"),
			env.String(&r.mapFile, "map", "", "what the classes alone do not tell, in `FILE`"),
			env.String(&r.journal, "all-old", "", "nothing of the new program is pending, and `FILE` remembers what is rewritten"),
			env.Bool(&r.dry, "dry-run", false, "change nothing, and count"),
			env.Int(&r.most, "max-payload", registry.DefaultMaxPayload, "most `BYTES` of a payload that is written, as the queue declares them"),
			env.Float(&r.share, "share", admin.DefaultFieldShare, "part of the time for which a server works for this, 0.001 to 1"),
		},
		Run: r.run,
	})
}

// recoding is one run of the command.
type recoding struct {
	e        *env.Env
	from, to string
	paths    env.Paths
	old, now env.Paths
	codec    string
	class    string
	mapFile  string
	journal  string
	dry      bool
	share    float64
	most     int

	convert recode.Converter
	memory  recode.Memory
	what    string // moves to what, for the audit
	emptyOK bool
	left    bool
}

// recodeLine is what was done in one queue, in JSON.
type recodeLine struct {
	Queue    string       `json:"queue"`
	Recoded  int64        `json:"recoded"`
	Already  int64        `json:"already"` // in the new codec, or read with the new classes
	Failed   int64        `json:"failed"`  // could not be converted
	Young    int64        `json:"young,omitempty"`
	Dry      bool         `json:"dryRun,omitempty"`
	Examples []recodeFail `json:"examples,omitempty"`
	Error    string       `json:"error,omitempty"`
}

// recodeFail is a message that could not be converted.
type recodeFail struct {
	ID    string `json:"id,omitempty"`
	Error string `json:"error"`
}

func (r *recoding) run(ctx context.Context, queues []string) (err error) {
	end, err := r.check(queues)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	ctx, client, disconnect, err := r.e.Connect(ctx)
	if err != nil {
		return err
	}
	defer disconnect(&err)
	if err = r.e.Exists(ctx, client, queues...); err != nil {
		return err
	}
	for _, queue := range queues {
		if err = r.recode(ctx, client, queue); err != nil {
			return err
		}
	}
	if r.left {
		return env.ErrReported
	}
	return nil
}

// check reads the flags. end closes the jars.
func (r *recoding) check(queues []string) (end func() error, err error) {
	end = func() error { return nil }
	byClass := len(r.old) > 0 || len(r.now) > 0
	switch {
	case byClass && (r.from != "" || r.to != "" || len(r.paths) > 0):
		return end, env.Usagef("recode: -old and -new are without -from, -to and -classes")
	case byClass && (len(r.old) == 0 || len(r.now) == 0 || r.codec == ""):
		return end, env.Usagef("recode: name the classes of both programs and the codec: -old, -new and -codec")
	case !byClass && (r.codec+r.class+r.mapFile+r.journal != ""):
		return end, env.Usagef("recode: -codec, -class, -map and -all-old are for -old and -new")
	case !byClass && (r.from == "" || r.to == ""):
		return end, env.Usagef("recode: name both codecs: -from and -to")
	case !byClass && catalog.Canonical(r.from) == catalog.Canonical(r.to):
		return end, env.Usagef("recode: -from and -to are the same codec")
	case len(queues) == 0:
		return end, env.Usagef("recode: no queue given")
	case r.share < 0.001 || r.share > 1:
		return end, env.Usagef("recode: -share must be from 0.001 to 1")
	case byClass:
		return r.betweenClasses()
	}
	return r.betweenCodecs()
}

func (r *recoding) betweenCodecs() (end func() error, err error) {
	end = func() error { return nil }
	for _, name := range []string{r.from, r.to} {
		c, unknown := catalog.Find(name)
		if unknown != nil {
			return end, env.Usage(unknown)
		}
		r.emptyOK = r.emptyOK || c.WritesEmpty()
	}
	settings := decoding.Settings{Codec: r.from}
	if len(r.paths) > 0 {
		if settings.Classes, err = classfile.Open(r.paths...); err != nil {
			return end, err
		}
		end = settings.Classes.Close
	}
	reader, err := decoding.New(settings)
	if err != nil {
		return end, env.Usage(err)
	}
	r.what = r.from + " to " + r.to
	r.convert = func(payload []byte) ([]byte, error) { return reader.Convert(r.from, r.to, payload) }
	return end, nil
}

func (r *recoding) betweenClasses() (end func() error, err error) {
	end = func() error { return nil }
	old, err := classfile.Open(r.old...)
	if err != nil {
		return end, err
	}
	now, err := classfile.Open(r.now...)
	if err != nil {
		return old.Close, err
	}
	end = func() error { return errors.Join(old.Close(), now.Close()) }
	var facts []byte
	if r.mapFile != "" {
		if facts, err = config.ReadFile(r.mapFile); err != nil {
			return end, err
		}
	}
	mapping, err := compat.ParseMapping(string(facts), old, now)
	if err != nil {
		return end, env.Usagef("recode: %s: %v", r.mapFile, err)
	}
	class, renamed, ok := strings.Cut(r.class, "=")
	if class != "" {
		if class, err = old.Find(class); err != nil {
			return end, err
		}
	}
	if ok {
		mapping.Rename(class, renamed)
	}
	if r.journal != "" {
		m, failed := openMemory(r.journal)
		if failed != nil {
			return end, failed
		}
		r.memory = m
		end = func() error { return errors.Join(old.Close(), now.Close(), m.file.Close()) }
	}
	rewriter, err := compat.NewRewriter(compat.Settings{Old: old, New: now, Codec: r.codec, Class: class, Mapping: mapping, AllOld: r.journal != ""})
	if err != nil {
		return end, env.Usage(err)
	}
	r.what = fmt.Sprintf("%s, classes of %s to %s", r.codec, strings.Join(r.old, ", "), strings.Join(r.now, ", "))
	r.convert = rewriter.Rewrite
	return end, nil
}

// recode does one queue, again while there are offers that were too young. The error is that of the
// output, or says that it was interrupted.
func (r *recoding) recode(ctx context.Context, client *framework.Client, queue string) error {
	progress := screen.NewProgress(r.e.Stderr)
	o := recode.Options{Convert: r.convert, Memory: r.memory, EmptyOK: r.emptyOK, MaxPayload: r.most, DryRun: r.dry, Share: r.share}
	var total recode.Counts
	do := func(ctx context.Context) (string, error) {
		for {
			before := total.Recoded
			o.Progress = func(c recode.Counts) {
				progress.Tell("%s: %d recoded so far", screen.Name(queue), before+c.Recoded)
			}
			c, err := recode.Pending(ctx, client, queue, o)
			c.Recoded += before
			c.Already -= min(before, c.Already)
			total = c
			said := fmt.Sprintf("%d recoded, %d left", c.Recoded, c.Left())
			if err != nil || r.dry || c.Young == 0 {
				return said, err
			}
			r.e.Warn("%s: %s offered within the last minute: waiting until they are old enough", screen.Name(queue), screen.Count(c.Young, "message"))
			if err := retry.Pause(ctx, recode.Settled/6); err != nil {
				return said, err
			}
		}
	}
	var err error
	if r.dry {
		_, err = do(ctx)
	} else {
		err = r.e.Audited(ctx, client, admin.Action{Action: "recode", Queue: queue, Target: "pending, " + r.what}, do)
	}
	r.left = r.left || err != nil || total.Left() > 0 || r.dry && total.Recoded > 0
	if failed := r.print(queue, total, err); failed != nil {
		return failed
	}
	if ctx.Err() != nil {
		return errors.New("interrupted: what was recoded stays so, and running it again does the rest")
	}
	return nil
}

// print shows what was done in a queue.
func (r *recoding) print(queue string, c recode.Counts, err error) error {
	if r.e.JSON {
		l := recodeLine{Queue: queue, Recoded: c.Recoded, Already: c.Already, Failed: c.Failed, Young: c.Young, Dry: r.dry}
		for _, x := range c.Examples {
			l.Examples = append(l.Examples, recodeFail{x.ID, x.Err.Error()})
		}
		if err != nil {
			l.Error = err.Error()
		}
		return r.e.Line(l)
	}
	if err != nil {
		r.e.Warn("%s: %v", screen.Name(queue), err)
	}
	for _, x := range c.Examples {
		r.e.Warn("%s: message %s stays as it is: %s", screen.Name(queue), screen.Clean(x.ID), screen.Clean(x.Err.Error()))
	}
	word := "recoded"
	if r.dry {
		word = "would be recoded"
	}
	already := "were in the new codec already"
	if len(r.old) > 0 {
		already = "read with the new classes as they are"
	}
	_, err = fmt.Fprintf(r.e.Stdout, "%s: %d %s, %d %s, %d could not be converted (longest script %v)\n",
		screen.Name(queue), c.Recoded, word, c.Already, already, c.Failed, c.Longest.Round(time.Microsecond))
	return err
}
