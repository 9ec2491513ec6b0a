package plot_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/duequeue/duequeue/framework/integration/bench/plot"
)

func chart() plot.Chart {
	return plot.Chart{
		Title: "Cost <of> \"a\" & b", X: "messages", Y: "µs",
		Lines: []plot.Line{
			{Name: "ours", Points: []plot.Point{{X: 1e4, Y: 2, Low: 1, High: 3}, {X: 1e6, Y: 4, Low: 4, High: 4}}},
			{Name: "theirs", Dashed: true, Points: []plot.Point{{X: 1e4, Y: 200}, {X: 1e6, Y: 20_000}}},
		},
	}
}

// Whatever is written in a chart, its picture is well-formed XML that says it.
func TestSVG(t *testing.T) {
	picture, err := chart().SVG()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	marks := map[string]int{}
	for d := xml.NewDecoder(strings.NewReader(string(picture))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			marks[token.Name.Local]++
		}
	}
	for _, want := range []string{`Cost <of> "a" & b`, "messages", "µs", "ours", "theirs", "10k", "1M", "100"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	// Two points of the first line and its mark in the legend.
	if marks["circle"] != 3 {
		t.Errorf("%d round marks, want 3", marks["circle"])
	}
}

// A plain axis begins at 0, has room for all, and takes zero.
func TestPlainY(t *testing.T) {
	for _, high := range []float64{0, 0.3, 1, 4.2, 99, 100, 1234} {
		c := chart()
		c.PlainY = true
		c.Lines = c.Lines[:1]
		c.Lines[0].Points = []plot.Point{{X: 1, Y: 0}, {X: 2, Y: high}}
		picture, err := c.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if text := string(picture); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || !strings.Contains(text, ">0</text>") {
			t.Errorf("up to %v:\n%s", high, picture)
		}
	}
}

func TestRefused(t *testing.T) {
	empty, negative := plot.Chart{}, chart()
	negative.Lines[0].Points[0].Y = 0
	for _, tt := range []struct {
		chart plot.Chart
		want  error
	}{{empty, plot.ErrEmpty}, {negative, plot.ErrNegative}} {
		if _, err := tt.chart.SVG(); !errors.Is(err, tt.want) {
			t.Errorf("error %v, want %v", err, tt.want)
		}
	}
}

func ExampleChart_CSV() {
	data, err := chart().CSV()
	if err != nil {
		panic(err)
	}
	fmt.Print(string(data))
	// Output:
	// line,messages,µs,lowest,highest
	// ours,10000,2,1,3
	// ours,1e+06,4,4,4
	// theirs,10000,200,0,0
	// theirs,1e+06,20000,0,0
}
