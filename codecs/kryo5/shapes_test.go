package kryo5

import (
	"encoding/hex"
	"testing"
)

// TestRarerShapes holds payloads of Redisson 4.7.0's Kryo5Codec, which that reads
// back: each decodes, and encodes to the same bytes.
func TestRarerShapes(t *testing.T) {
	t.Parallel()
	classes := Classes(describe(t, `demo.Reg$Box<T,U>
	T first
demo.Reg$Shifted<T> extends demo.Reg$Box<java.lang.Number,T>
	T second
enum demo.Reg$Op {ADD{demo.Reg$Op$1}, SUB{demo.Reg$Op$2}}
demo.Reg$NullsFirst
demo.Reg$Task
	int rank
demo.Reg$Mail extends demo.Reg$Task
demo.Reg$Call extends demo.Reg$Task`))
	for _, c := range []struct {
		name, payload string
		refs          bool
	}{
		// Kryo takes the T of Shifted for that of Box, a Number; Java does not.
		{"variables of one name", "010064656d6f2e52656724536869667465e4020201016a6176612e7574696c2e41727261794c6973f482030061e2", false},
		{"queue of constants with bodies", "01006a6176612e7574696c2e5072696f7269747951756575e50300010164656d6f2e526567244f7024b101010264656d6f2e526567244f7024b202", false},
		{"set of constants with bodies", "01006a6176612e7574696c2e547265655365f40300010164656d6f2e526567244f7024b101010264656d6f2e526567244f7024b202", false},
		{"map of constants with bodies", "01006a6176612e7574696c2e547265654d61f00300010164656d6f2e526567244f7024b1010202010264656d6f2e526567244f7024b2020204", false},
		{"null key and a comparator", "01006a6176612e7574696c2e547265654d61f003010164656d6f2e526567244e756c6c7346697273f40002020382610204", false},
		{"null element and a comparator", "01006a6176612e7574696c2e547265655365f483010164656d6f2e526567244e756c6c7346697273f403018061e2", false},
		{"null alone and a comparator", "01006a6176612e7574696c2e547265655365f482010164656d6f2e526567244e756c6c7346697273f400", false},
		{"dates of two classes", "01006a6176612e7574696c2e547265655365f4030001016a6176612e7574696c2e446174e50101026a6176612e73716c2e54696d657374616df002", false},
		{"beans of two classes", "01006a6176612e7574696c2e547265655365f40300010164656d6f2e526567244d6169ec00010264656d6f2e5265672443616cec02", false},
		{"one empty string", "01006a6176612e7574696c2e41727261794c6973f401830300018103", true},
		{"two empty strings", "01006a6176612e7574696c2e41727261794c6973f40183030001810181", true},
		{"one offset", "01006a6176612e7574696c2e41727261794c6973f4018501016a6176612e74696d652e5a6f6e654f66667365f400010003010404", true},
		{"shared years", "01006a6176612e7574696c2e41727261794c6973f4018701016a6176612e74696d652e596561f20001e40f0301e40f0105010505", true},
	} {
		codec := New(classes)
		if c.refs {
			codec = New(classes, References())
		}
		payload, err := hex.DecodeString(c.payload)
		if err != nil {
			t.Fatal(err)
		}
		value, err := codec.Decode(payload)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if again, err := codec.Encode(value); err != nil || string(again) != string(payload) {
			t.Errorf("%s: encoded as %x, %v\nwant %s", c.name, again, err, c.payload)
		}
	}
}
