// Package inspect has the command that tells what there is before Go joins.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/urfave/cli/v3"

	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/admin"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/env"
	"github.com/duequeue/duequeue/framework/cmd/duequeue/internal/screen"
)

const help = `
inspect tells what a Go service needs to know of Java's queues before it joins: which
queues there are, which Redisson writes their elements, which codec their payloads are in,
which classes they hold, who transfers and consumes them; and it prints the Go source that
declares each, with the command that makes the types. Without QUEUE it looks at all.

It reads counts and the first messages of each queue (-sample pending, ready and dead ones
each), and changes nothing. What a sample does not hold it cannot tell: an empty queue has no
codec. A codec is found by decoding, and by encoding again what was decoded: "not proven" says
that this gave another form, or that the values have no fields, which alone show how the
ObjectMapper of a Java service is configured. Some codecs look alike, above all for bare numbers and short
texts: compare with the codec of Java's configuration, and see "may also be".

With -classes, a jar of the Java service (Spring Boot's jars and wars too), payloads of
kryo5 and fst are decoded whole, and type parameters are known. The methods of its own classes
that pass a codec to Config.setCodec or to a queue are read: "in classes" says which codec, what
they tell its ObjectMapper, and what of that is not read, such as calls of other methods. Where
the messages are of another codec, they decide. With -codec that codec alone is tried.

Programs that transfer a queue (LISTEN of "duequeue queues") are counted, Java's and Go's;
Java's consumers leave no trace in Redis. The Redis user needs what "duequeue acl -role
operate" prints. The exit code is 1 when something of a queue cannot be told.
`

// Command returns the command.
func Command(e *env.Env) *cli.Command {
	i := &inspector{}
	return e.Command(env.Spec{
		Name: "inspect", Args: "[QUEUE...]", Short: "tell codec, classes and layout of Java's queues, and declare them in Go", Group: env.GroupLook, Long: help,
		Examples: []string{"duequeue -redis 10.0.0.7:6379 inspect", "duequeue inspect -classes shop.jar ORDER_TIMEOUT"}, JSON: report{},
		Flags: []cli.Flag{
			env.String(&i.codec, "codec", "", "codec `NAME` of the payloads; without it they tell"),
			env.Func("classes", "know the user classes in `FILE.jar|DIR`; may be given several times", i.paths.Set),
			env.Int(&i.sample, "sample", 100, "most messages of each kind to look at"),
			env.Float(&i.search.Share, "share", admin.DefaultSearchShare, "part of the time for which a server searches for queues, 0.01 to 1"),
			env.Int(&i.search.Most, "limit", admin.DefaultMostQueues, "most queues"),
		},
		Run: func(ctx context.Context, queues []string) error { return i.run(ctx, e, queues) },
	})
}

// inspector is one run of the command.
type inspector struct {
	codec  string
	paths  env.Paths
	sample int
	search admin.QueuesOptions

	classes    *classfile.Source // nil without -classes
	configured []configured      // what the classes set
}

func (i *inspector) run(ctx context.Context, e *env.Env, queues []string) (err error) {
	switch {
	case i.sample < 1 || i.sample > maxSample:
		return env.Usagef("inspect: -sample must be from 1 to %d", maxSample)
	case i.search.Share < 0.01 || i.search.Share > 1:
		return env.Usagef("inspect: -share must be from 0.01 to 1")
	case i.search.Most < 1:
		return env.Usagef("inspect: -limit must be positive")
	}
	if len(i.paths) > 0 {
		if i.classes, err = classfile.Open(i.paths...); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, i.classes.Close()) }()
		i.configured = codecsOf(i.classes, e.Warn)
	}
	ctx, client, end, err := e.Connect(ctx)
	if err != nil {
		return err
	}
	defer end(&err)
	if err = e.Exists(ctx, client, queues...); err != nil {
		return err
	}
	found, more, err := i.find(ctx, client, queues)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		e.Warn("no delayed queue in this database")
		return nil
	}
	if more {
		e.Warn("there are more than %d: see -limit", len(found))
	}
	all, err := i.inspectAll(ctx, e, client, found)
	if err != nil {
		return err
	}
	i.declareAll(all)
	for _, r := range all {
		if err = show(e, *r); err != nil {
			return err
		}
	}
	if !e.JSON {
		err = i.printSource(e, all)
	}
	if err == nil && len(all) < len(found) {
		err = env.ErrReported
	}
	return err
}

// inspectAll looks at queues, and says of each that it leaves out why.
func (i *inspector) inspectAll(ctx context.Context, e *env.Env, client *framework.Client, found []admin.QueueStatus) (all []*report, err error) {
	progress := screen.NewProgress(e.Stderr)
	for n, status := range found {
		progress.Tell("%d of %d queues so far", n, len(found))
		r, failed := i.inspect(ctx, client, status)
		switch {
		case ctx.Err() != nil:
			return nil, failed
		case failed != nil:
			e.Warn("%s: %v", screen.Name(status.Queue), failed)
			continue
		}
		all = append(all, &r)
	}
	return all, nil
}

// maxSample bounds what one page reads from Redis.
const maxSample = 1000

// find returns the queues to look at: those that are named, or all that a search finds.
func (i *inspector) find(ctx context.Context, client *framework.Client, names []string) (found []admin.QueueStatus, more bool, err error) {
	if len(names) == 0 {
		return admin.Queues(ctx, client, i.search)
	}
	found, err = admin.StatusOf(ctx, client, names...)
	return found, false, err
}

// inspect reports one queue.
func (i *inspector) inspect(ctx context.Context, client *framework.Client, status admin.QueueStatus) (report, error) {
	if status.Err != nil {
		return report{}, status.Err
	}
	r, bodies, err := look(ctx, client, status, int64(i.sample))
	if err != nil {
		return r, err
	}
	if r.Codecs, err = judge(bodies, i.codec, i.classes); err != nil {
		return r, err
	}
	i.compare(&r, bodies)
	r.note(i.codec)
	return r, nil
}

// classless are the codecs of JSON without classes.
var classless = regexp.MustCompile(`^(typedjsonjackson3?|json|text\(.*,json\))$`)

// note says what to know before Go joins.
func (r *report) note(given string) {
	add := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	if l := r.Layouts; l.Old > 0 && l.New+l.Other > 0 {
		add("Redissons of both layouts write: those up to 3.21.0 fail on what the others wrote, and the reverse; \"duequeue migrate -layout -follow %s\" makes all of them readable", r.Queue)
	}
	if r.Layouts.Malformed > 0 {
		add("%s no Redisson can read: see \"duequeue doctor %s\"", screen.Count(r.Layouts.Malformed, "pending element"), r.Queue)
	}
	if r.Overdue > 0 && r.Listeners == 0 {
		add("no program transfers the queue: its overdue messages wait")
	}
	if len(r.Codecs) > 1 {
		add("payloads of several codecs: who else offers to this queue?")
	}
	for _, v := range r.Codecs {
		if given == "" && (len(v.Others) > 0 && v.confidence <= sniff.Fair || v.Codec == anything) {
			add("the bytes fit several codecs, or one that leaves no mark (protobuf, Avro): compare with Java's configuration (\"duequeue config -redisson\")")
		}
		if v.Form != "" {
			agree := ""
			if options := v.form.Options(); options != "" {
				agree = "; to write that form: " + options
			}
			add("do not offer to this queue from Go with %s: %s%s. The ObjectMapper of the Java service is configured otherwise, and Java pops and loses what it cannot read", v.Codec, v.Form, agree)
		}
		if v.dates != "" {
			add("dates are texts such as %s: the mapper of the Java service has a pattern (DateFormat and TimeZone, LocalDateTime, LocalDate in jackson.Mapper), or the field an annotation (format=PATTERN in its tag)", v.dates)
		} else if classless.MatchString(v.Codec) && v.Confidence != unproven {
			add("payloads of %s name no classes, and do not show which numbers and texts are dates, Longs and enums: that the mapper of the Java service is as it comes is not proven (jackson.Mapper has its settings, tags of fields have those of annotations)", v.Codec)
		}
		if v.Codec == "" {
			add("%s cannot be read: %s", screen.Count(v.Of, "payload"), v.Failed)
		}
	}
	if len(r.Codecs) == 0 {
		add("no message to look at: take the codec from Java's configuration (\"duequeue config -redisson\")")
	}
}
