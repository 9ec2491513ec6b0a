package bridge

import (
	"math/big"
	"reflect"
	"strings"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/java"
)

// lowerZone makes a ZoneId, which is one of two classes.
func lowerZone(s string) (any, error) {
	if offset, err := java.ParseZoneOffset(s); err == nil {
		return offset, nil
	}
	return java.Text{Class: "java.time.ZoneRegion", Value: s}, nil
}

// textNode carries a string type as a class whose row reads text; nil for all other declared
// types. The empty string is null, since none of them but StringBuilder
// and StringBuffer can be empty.
func (c *compiler) textNode(t reflect.Type, declared java.TypeExpr, path string) *node {
	const zoneID = "java.time.ZoneId"
	row, read := jdk.OfClass(declared.Class), lowerZone
	if row != nil {
		read = row.FromText
	}
	if read == nil || declared.Dims > 0 || row == nil && declared.Class != zoneID {
		return nil
	}
	c.use(t, declared, declared.Class, path)
	builder := strings.HasPrefix(declared.Class, "java.lang.StringB")
	plain := assignKind(t)
	return &node{
		Node: Node{Kind: NodeScalar, Class: declared.Class},
		assign: func(a *assigner, v any, dst reflect.Value) error {
			if err := a.digits(bitsOf(v), dst); err != nil {
				return err
			}
			_, offset := v.(java.ZoneOffset)
			of := jdk.Of(v)
			if of != nil && jdk.Class(v) != "" && !Huge(v) && (row == nil && offset || row != nil && of.Go == row.Go) {
				s, _ := of.Show(v)
				dst.SetString(s)
				return nil
			}
			if s, ok := bareText(v); ok {
				dst.SetString(s)
				return nil
			}
			return plain(v, dst)
		},
		lower: func(_ *lowerer, v reflect.Value) (any, error) {
			if v.Len() == 0 && !builder {
				return nil, nil
			}
			out, err := read(v.String())
			if err != nil {
				return nil, &codecs.EncodeError{Type: t, Reason: "it cannot be written as the declared type " + declared.String(), Err: err}
			}
			return out, nil
		},
	}
}

// Huge reports whether v is a number of so many bits that making digits of it takes long.
func Huge(v any) bool { return bitsOf(v) > 1<<17 }

// bitsOf returns the size of a big number, 0 for all other values.
func bitsOf(v any) int {
	switch v := v.(type) {
	case java.BigDecimal:
		if v.Unscaled != nil {
			return v.Unscaled.BitLen()
		}
	case *big.Int:
		if v != nil {
			return v.BitLen()
		}
	}
	return 0
}

// bareText returns the text of an object that formats without a Go value for its
// class make: one field without a name.
func bareText(v any) (string, bool) {
	o, ok := v.(*java.Object)
	if !ok || o == nil || len(o.Fields) != 1 || o.Fields[0].Name != "" {
		return "", false
	}
	s, ok := o.Fields[0].Value.(string)
	return s, ok
}

// uuidNode carries the types of sixteen bytes.
func (c *compiler) uuidNode(t reflect.Type, declared java.TypeExpr, path string) *node {
	if class := boxed(declared); class != "" && class != "java.util.UUID" {
		return c.failDeclared(t, declared, path)
	}
	c.use(t, declared, "java.util.UUID", path)
	own := reflect.TypeFor[java.UUID]()
	kind := NodeOther
	if t == own {
		kind = NodeValue
	}
	return &node{
		Node: Node{Kind: kind, Class: "java.util.UUID"},
		assign: func(_ *assigner, v any, dst reflect.Value) error {
			u, ok := v.(java.UUID)
			if !ok {
				s, isText := v.(string)
				if !isText {
					s, isText = bareText(v)
				}
				var err error
				if u, err = java.ParseUUID(s); !isText || err != nil {
					return mismatch(v, dst)
				}
			}
			dst.Set(reflect.ValueOf(u).Convert(t))
			return nil
		},
		lower: func(_ *lowerer, v reflect.Value) (any, error) { return v.Convert(own).Interface(), nil },
	}
}
