package view_test

import (
	"fmt"

	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/view"
)

// The JSON view shows the class wherever JSON alone would not.
func ExampleOf() {
	fmt.Println(string(view.Of(&java.List{Class: "java.util.LinkedList", Elements: []any{"a", int32(1), int64(1), 1.0, nil}})))
	// Output: {"class":"java.util.LinkedList","value":["a",1,{"class":"java.lang.Long","value":1},1.0,null]}
}
