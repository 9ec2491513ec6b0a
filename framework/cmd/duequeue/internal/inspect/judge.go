package inspect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/duequeue/duequeue/codecs/catalog"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/sniff"
	"github.com/duequeue/duequeue/framework/fault"
	"github.com/duequeue/duequeue/framework/internal/decoding"
	"github.com/duequeue/duequeue/framework/internal/foreign"
)

// verdict is which codec wrote the payloads of a sample, and what they hold.
type verdict struct {
	Codec      string       `json:"codec,omitempty"` // "" where none fits
	Confidence string       `json:"confidence,omitempty"`
	Why        string       `json:"why,omitempty"`
	Read       int          `json:"read"`              // how many payloads it reads
	Of         int          `json:"of"`                // how many were looked at
	Others     []string     `json:"others,omitempty"`  // codecs that read as many
	Classes    []classCount `json:"classes,omitempty"` // of what it read, the most frequent first
	Missing    []string     `json:"missing,omitempty"` // of these, those that no jar explains
	Failed     string       `json:"failed,omitempty"`  // why it does not read another one
	Form       string       `json:"form,omitempty"`    // where it writes another form than it read, and how

	confidence sniff.Confidence
	form       *fault.ForeignForm // of Form
	dates      string             // a text that is a date in no form of ISO 8601
	unread     [][]byte
}

// weight is how much a payload that it reads says for it.
func (v verdict) weight() int { return v.Read << (2 * v.confidence) }

// classCount is a Java class, and of how many payloads it is.
type classCount struct {
	Class    string `json:"class"`
	Messages int    `json:"messages"`
}

// mostCodecs is how many codecs of one queue are told apart.
const mostCodecs = 4

// judge finds the codecs that wrote payloads: the one that the bytes say most for, and those
// of what it does not read. The last verdict has no codec where some are left.
func judge(bodies [][]byte, given string, classes *classfile.Source) (all []verdict, err error) {
	for len(bodies) > 0 && len(all) < mostCodecs {
		v, err := judgeOne(bodies, given, classes)
		if err != nil {
			return nil, err
		}
		if v.Codec == anything && len(all) > 0 && given == "" {
			v = verdict{Of: v.Of, Failed: "the bytes look like no codec that can be read here"}
		}
		if all = append(all, v); v.Codec == "" || given != "" {
			return all, nil
		}
		bodies = v.unread
	}
	if len(bodies) > 0 {
		all = append(all, verdict{Of: len(bodies), Failed: fmt.Sprintf("they are of more than %d codecs", mostCodecs)})
	}
	return all, nil
}

// anything is the codec that reads any bytes.
const anything = "bytearray"

// judgeOne finds the codec for which the payloads say most. One of which only the class is
// not known counts as read.
func judgeOne(bodies [][]byte, given string, classes *classfile.Source) (verdict, error) {
	candidates := map[string]sniff.Candidate{}
	if given != "" {
		candidates[given] = sniff.Candidate{Codec: given, Why: "it was named"}
	} else {
		for _, body := range bodies {
			guesses := sniff.Guess(body)
			for _, c := range guesses {
				if c.Codec == anything && len(guesses) > 1 {
					continue // it reads anything
				}
				if c.Confidence > candidates[c.Codec].Confidence {
					candidates[c.Codec] = c
				}
			}
		}
	}
	var all []verdict
	for _, name := range slices.Sorted(maps.Keys(candidates)) {
		v, err := try(bodies, candidates[name], classes)
		var unknown *catalog.UnknownError
		var option *catalog.OptionError
		switch {
		case err == nil:
			all = append(all, v)
		case given != "":
			return verdict{}, err
		case !errors.As(err, &unknown) && !errors.As(err, &option) && candidates[name].Confidence >= sniff.Strong:
			return verdict{}, err
		}
	}
	slices.SortStableFunc(all, func(a, b verdict) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(b.Read, a.Read))
	})
	if len(all) == 0 || all[0].Read == 0 {
		v := verdict{Of: len(bodies), Failed: "the bytes look like no codec that can be read here"}
		if len(all) > 0 {
			v.Failed, v.Why = all[0].Failed, "the bytes look like "+all[0].Codec
		}
		return v, nil
	}
	best := all[0]
	for _, other := range all[1:] {
		if other.Read == best.Read {
			best.Others = append(best.Others, other.Codec)
		}
	}
	return best, nil
}

// unproven is the confidence in a codec that reads payloads, and that may write other ones than
// the Java service reads.
const unproven = "not proven"

// try reads the payloads with one codec, and writes them again.
func try(bodies [][]byte, c sniff.Candidate, classes *classfile.Source) (verdict, error) {
	v := verdict{Why: c.Why, Of: len(bodies), confidence: c.Confidence}
	if c.Confidence > 0 {
		v.Confidence = c.Confidence.String()
	}
	reader, err := decoding.New(decoding.Settings{Codec: c.Codec, Classes: classes})
	var option *catalog.OptionError
	if errors.As(err, &option) { // it has no use for classes
		reader, err = decoding.New(decoding.Settings{Codec: c.Codec})
	}
	if err != nil {
		return v, err
	}
	v.Codec = reader.Codec()
	found, missing, tells, inText := map[string]int{}, map[string]bool{}, false, 0
	for _, body := range bodies {
		p := reader.Read(body)
		class := p.NeedsClasses()
		if class != "" {
			missing[class] = true
		} else if failed := errors.Join(p.Err, p.Rest()); failed != nil {
			v.Failed = cmp.Or(v.Failed, failed.Error())
			v.unread = append(v.unread, body)
			continue
		} else {
			class = classOf(p.Value)
			if form := foreign.OtherForm(p.Codec, body); form != nil && v.form == nil {
				v.form, v.Form = form, form.String()
			}
			if holdsJSON(p.Value) {
				inText++
			}
		}
		tells = tells || foreign.TellsForm(p.Codec, body)
		v.dates = cmp.Or(v.dates, string(localDate.Find(body)))
		v.Read++
		found[class]++
	}
	if v.Form != "" {
		v.Confidence, v.Why = unproven, "it writes another form than it reads"
	} else if !tells && v.Confidence != "" {
		v.Confidence, v.Why = unproven, "these values have no fields: several codecs, and each ObjectMapper of a Java service, write them alike"
	}
	if inText > 0 && inText == v.Read && v.Codec != "string" && !strings.HasPrefix(v.Codec, "text(") {
		v.Codec, v.Why = "text("+v.Codec+",json)", v.Why+"; its strings hold JSON"
	}
	for class, n := range found {
		v.Classes = append(v.Classes, classCount{class, n})
	}
	slices.SortFunc(v.Classes, func(a, b classCount) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Class, b.Class))
	})
	v.Missing = slices.Sorted(maps.Keys(missing))
	return v, nil
}

// localDate is a date as mappers with a pattern write it.
var localDate = regexp.MustCompile(`"\d{4}[-/]\d\d[-/]\d\d(?: \d\d:\d\d(?::\d\d)?(?:\.\d+)?)?"`)

// holdsJSON reports whether a value is a text with an object or a list in JSON.
func holdsJSON(v any) bool {
	text, ok := v.(string)
	text = strings.TrimSpace(text)
	return ok && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Valid([]byte(text))
}

// classOf returns the Java class of a value, "null" of none.
func classOf(v any) string {
	class := java.ClassOf(v)
	switch v := v.(type) {
	case nil:
		return "null"
	case *java.Map:
		class = v.Class
	case *java.List:
		class = v.Class
	case *java.Object:
		class = v.Class
	case java.Enum:
		class = v.Class
	}
	return cmp.Or(class, "unknown")
}
