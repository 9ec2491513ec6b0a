package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/retry"
	"github.com/duequeue/duequeue/framework/recode"
	"github.com/duequeue/duequeue/registry"
)

const recodeHelp = `
recode moves what is pending in a queue from one codec to another, so that the old codec may
go. The way:
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

-json prints one line of JSON for each queue. The exit code is 0 if everything that is pending is in
the new codec, 1 if not (in a dry run: there is something to recode).

The Redis user needs what "duequeue acl -role operate" prints.
`

func recodeCommand(e *env.Env) *cli.Command {
	r := &recoding{e: e}
	return e.Command(env.Spec{
		Name: "recode", Args: "-from CODEC -to CODEC QUEUE...", Short: "move pending messages from one codec to another", Group: env.GroupRepair, Long: recodeHelp,
		Examples: []string{"duequeue recode -from kryo5 -to jsonjackson -dry-run ORDERS", "duequeue recode -from marshalling -to kryo5 -classes shop.jar ORDERS"}, JSON: recodeLine{},
		Flags: []cli.Flag{
			env.String(&r.from, "from", "", "codec `NAME` that may go; required"),
			env.String(&r.to, "to", "", "codec `NAME` to move to; required"),
			env.Func("classes", "know the user classes in `FILE.jar|DIR`; may be given several times", r.paths.Set),
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
	dry      bool
	share    float64
	most     int

	convert recode.Converter
	emptyOK bool
	left    bool
}

// recodeLine is what was done in one queue, in JSON.
type recodeLine struct {
	Queue    string       `json:"queue"`
	Recoded  int64        `json:"recoded"`
	Already  int64        `json:"already"` // in the new codec
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
	switch {
	case r.from == "" || r.to == "":
		return end, env.Usagef("recode: name both codecs: -from and -to")
	case catalog.Canonical(r.from) == catalog.Canonical(r.to):
		return end, env.Usagef("recode: -from and -to are the same codec")
	case len(queues) == 0:
		return end, env.Usagef("recode: no queue given")
	case r.share < 0.001 || r.share > 1:
		return end, env.Usagef("recode: -share must be from 0.001 to 1")
	}
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
	r.convert = func(payload []byte) ([]byte, error) { return reader.Convert(r.from, r.to, payload) }
	return end, nil
}

// recode does one queue, again while there are offers that were too young. The error is that of the
// output, or says that it was interrupted.
func (r *recoding) recode(ctx context.Context, client *framework.Client, queue string) error {
	progress := screen.NewProgress(r.e.Stderr)
	o := recode.Options{Convert: r.convert, EmptyOK: r.emptyOK, MaxPayload: r.most, DryRun: r.dry, Share: r.share}
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
		err = r.e.Audited(ctx, client, admin.Action{Action: "recode", Queue: queue, Target: "pending, " + r.from + " to " + r.to}, do)
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
	_, err = fmt.Fprintf(r.e.Stdout, "%s: %d %s, %d were in the new codec already, %d could not be converted (longest script %v)\n",
		screen.Name(queue), c.Recoded, word, c.Already, c.Failed, c.Longest.Round(time.Microsecond))
	return err
}
