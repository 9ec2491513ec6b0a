package admin

import (
	"context"
	"errors"
	"fmt"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/framework"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/health"
	"github.com/duequeue/duequeue/framework/internal/access"
	"github.com/duequeue/duequeue/framework/internal/foreign"
	"github.com/duequeue/duequeue/framework/internal/redisapi"
	"github.com/duequeue/duequeue/framework/internal/rediserr"
	"github.com/duequeue/duequeue/framework/internal/wire"
	"github.com/duequeue/duequeue/registry"
)

// DiagnoseOptions shape [Diagnose]. The zero value changes nothing.
type DiagnoseOptions struct {
	// Fix takes out entries of Java's view that belong to no pending message, and lets Redis
	// keep keys that it is going to delete (PERSIST).
	Fix bool
	// View is how the queues are declared, see [registry.View].
	View registry.ViewMode
	// Codec is that of the queues' declarations; payloads that it cannot read are a
	// finding. With nil no payloads are looked at.
	Codec codecs.Codec
	// Class is the Java class that Go writes to the queues; with Codec, payloads of another
	// class are a finding. Empty compares none.
	Class string
	// Guess returns the codec that reads a payload, "" where none does. With it the verdict on a queue
	// whose payloads are of another codec names the codec that reads them. May be nil.
	Guess func(payload []byte) (codec string)
	// JavaCancels says that Java services call remove or poll on the delayed queues,
	// which only exact views answer rightly.
	JavaCancels bool
	// Near has queues with messages that no process serves compared with all others, see [Compare].
	Near bool
	// Status is that of the queue, where it was read already; it is for [DiagnoseQueue].
	Status *QueueStatus
	// Walk bounds how many elements of a queue are looked at one by one; each costs
	// Redis about 20 µs, in steps of a few ms. Defaults to 1,000,000.
	Walk int64
}

// Diagnose looks for what makes queues lose messages, stall or be late: settings of Redis
// that lose data and clocks that differ (on a Cluster at every primary), elements that stop
// Redisson, due times that never come, queues that no process transfers, dead consumers
// whose messages are not given back, errors in Java's view, keys that Redis is going to delete
// or that a program has deleted, renamed or copied, processes that declare a queue differently. Queues are named as Java names
// them for getBlockingQueue ([registry.Descriptor.Key]); the client's name mapping applies.
// They may be in full use.
//
// A queue that cannot be examined does not stop the others: its error, a
// [*fault.QueueError], is joined to the one that is returned with the findings.
func Diagnose(ctx context.Context, c *framework.Client, queues []string, o DiagnoseOptions) ([]Finding, error) {
	client := access.Of(c)
	found, err := checkServer(ctx, client.Redis)
	errs := []error{err}
	for _, name := range queues {
		v, err := DiagnoseQueue(ctx, c, name, o)
		found, errs = append(found, v.Findings...), append(errs, err)
	}
	if len(queues) > 1 {
		more, err := checkCopies(ctx, client, queues)
		found, errs = append(found, more...), append(errs, err)
	}
	return found, errors.Join(errs...)
}

// DiagnoseCopies is the part of [Diagnose] that compares queues: messages that are pending in two of
// them were copied, restored or renamed.
func DiagnoseCopies(ctx context.Context, c *framework.Client, queues []string) ([]Finding, error) {
	return checkCopies(ctx, access.Of(c), queues)
}

// diagnose looks at all partitions of one queue.
func diagnose(ctx context.Context, client access.Client, name string, o DiagnoseOptions) ([]Finding, error) {
	all, _, err := partsOf(ctx, client, name)
	var unread *fault.PartitionsError
	if errors.As(err, &unread) {
		return []Finding{{
			Check: "partitions", Severity: SeverityError, Queue: name, Message: err.Error(),
			Advice: "processes that declare partitions of this queue do not start until the field is gone",
		}}, nil
	}
	var wrong *fault.WrongTypeError
	if errors.As(err, &wrong) {
		q := &queue{name: name}
		q.wrongType(wrong.Key, wrong.Got, wrong.Want)
		return q.found, nil
	}
	if err != nil {
		return nil, err
	}
	found, err := checkPartitions(ctx, client, name, all)
	if err != nil {
		return found, err
	}
	if more, failed := checkPolicies(ctx, client, name, all[0]); failed == nil { // a key of another type is reported below
		found = append(found, more...)
	}
	if len(all) > 1 {
		if f, missing, failed := absent(ctx, client.Redis, all, name); missing || failed != nil {
			return append(found, f), failed
		}
	}
	parts, err := findParts(ctx, client.Redis, all, name, o)
	if found = append(found, parts...); err != nil {
		return found, err
	}
	for _, keys := range all {
		more, err := checkQueue(ctx, client.Redis, keys, name, o)
		if err == nil && o.Codec != nil {
			var foreign []Finding
			foreign, err = findForeign(ctx, client.Redis, keys, name, o)
			more = append(more, foreign...)
		}
		for _, f := range more {
			if len(all) > 1 {
				if f.Check == "absent" { // another partition has something
					continue
				}
				f.Message = fmt.Sprintf("partition %d: %s", keys.Partition, f.Message)
			}
			found = append(found, f)
		}
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// findParts finds what belongs to the sentences on other things: the codec that reads, and why messages died.
func findParts(ctx context.Context, rdb redisapi.Client, all []wire.Keys, name string, o DiagnoseOptions) (found []Finding, err error) {
	status := o.Status
	if status == nil {
		status = &QueueStatus{Because: health.BecauseUndecodable, Dead: 1} // as if there were both
	}
	if o.Guess != nil && status.Because == health.BecauseUndecodable {
		if found, err = findReads(ctx, rdb, all[0], name, status.Codec, o.Guess); err != nil {
			return nil, err
		}
	}
	if status.Dead > 0 {
		more, err := findReasons(ctx, rdb, all, name)
		return append(found, more...), err
	}
	return found, nil
}

// findForeign looks at a few payloads of a queue.
func findForeign(ctx context.Context, rdb redisapi.Client, keys wire.Keys, name string, o DiagnoseOptions) ([]Finding, error) {
	f, _, err := foreign.Look(ctx, rdb, keys, foreign.Declared{Code: name, Codec: o.Codec, Class: o.Class})
	if err != nil || foreign.Found(f) == 0 {
		return nil, err
	}
	finding := Finding{
		Check: "codec", Severity: SeverityWarning, Queue: name, Count: int64(foreign.Found(f)), Message: f.Error(),
		Advice: "this command says what they are: declare that codec, or codecs.AnyOf; or fix the program that writes them", Command: "duequeue inspect " + shellName(name),
	}
	switch {
	case f.Foreign > 0:
	case f.Form > 0:
		finding.Check, finding.Advice = "form", "offer nothing from Go until the codec writes that form: Java pops such a message, and loses it. This command shows which codec does"
	default:
		finding.Check, finding.Advice = "class", "correct JavaClass() of the Go type, or declare registry.OtherClasses: this command shows what is there"
	}
	if foreign.Wrong(f) {
		finding.Severity = SeverityError
	}
	return []Finding{finding}, nil
}

// Absent returns a finding for each of the queues, named as for [Diagnose], that has no
// key in this database: the queue is empty, or the services use another name, server or
// database. Errors are those of Diagnose.
func Absent(ctx context.Context, c *framework.Client, queues ...string) ([]Finding, error) {
	client := access.Of(c)
	var found []Finding
	var errs []error
	for _, name := range queues {
		all, _, err := partsOf(ctx, client, name)
		if err == nil {
			f, missing, failed := absent(ctx, client.Redis, all, name)
			if err = failed; missing {
				found = append(found, f)
			}
		}
		if err != nil {
			errs = append(errs, &fault.QueueError{Queue: name, Err: err})
		}
	}
	return found, errors.Join(errs...)
}

// DiagnoseQueue is [Diagnose] of one queue without the server: its status and its messages, judged
// together.
func DiagnoseQueue(ctx context.Context, c *framework.Client, queue string, o DiagnoseOptions) (Verdict, error) {
	if o.Status == nil {
		status, err := StatusOf(ctx, c, queue)
		switch {
		case err == nil:
			o.Status = &status[0]
		case errors.As(err, new(*fault.PartitionsError)), errors.As(err, new(*fault.WrongTypeError)): // the examination says so
			o.Status = &QueueStatus{Queue: queue}
		default:
			return Verdict{Queue: queue}, &fault.QueueError{Queue: queue, Err: err}
		}
	}
	if rediserr.MayPass(o.Status.Err) { // its node does not answer: there is nothing to examine
		return Judge(*o.Status), nil
	}
	found, err := Examine(ctx, c, queue, o)
	status := []QueueStatus{*o.Status}
	if o.Near {
		if failed := Compare(ctx, c, status); failed != nil {
			err = errors.Join(err, &fault.QueueError{Queue: queue, Err: failed})
		}
	}
	return Judge(status[0], found...), err
}

// Examine is the part of [DiagnoseQueue] that looks at the messages of a queue and at its keys, for
// [Judge].
func Examine(ctx context.Context, c *framework.Client, queue string, o DiagnoseOptions) ([]Finding, error) {
	found, err := diagnose(ctx, access.Of(c), queue, o)
	if err != nil {
		err = &fault.QueueError{Queue: queue, Err: err}
	}
	return found, err
}
