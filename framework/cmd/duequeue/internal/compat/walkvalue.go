package compat

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/duequeue/duequeue/codecs"
	"github.com/duequeue/duequeue/codecs/java"
	"github.com/duequeue/duequeue/codecs/java/classfile"
	"github.com/duequeue/duequeue/codecs/view"
)

// constant rewrites a constant of an enum.
func (w *walk) constant(v java.Enum, is java.TypeExpr) (any, error) {
	c := w.from.class(v.Class)
	if c == nil && classfile.OfJDK(v.Class) && w.to.assignable(v.Class, is) {
		return v, nil
	}
	if c == nil {
		return nil, refuse("is of %s, an enum that the program has not", v.Class)
	}
	if v.Name == "" {
		known, ok := c.Enum(v.Ordinal)
		if !ok {
			return nil, refuse("is constant %d of %s, which has %d", v.Ordinal, v.Class, len(c.Constants))
		}
		v = known
	}
	if c.Ordinal(v.Name) < 0 {
		return nil, refuse("is %s, a constant that %s has not", v.Name, v.Class)
	}
	return w.constantOf(c, v.Name, is)
}

// constantOf returns a constant in a place of a type: the text of its name where that is a String.
func (w *walk) constantOf(c *class, name string, is java.TypeExpr) (any, error) {
	name = cmp.Or(w.mapping.constants[c.Name+"."+name], name)
	if is.Class == stringClass && is.Dims == 0 {
		return name, nil
	}
	_, n, err := w.class(c.Name, is)
	if err != nil {
		return nil, err
	}
	i := n.Ordinal(name)
	if i < 0 {
		return nil, refuse("is %s, a constant that %s has not", name, n.Name)
	}
	made, _ := n.Enum(i)
	return made, nil
}

// constantText rewrites a constant whose class the bytes do not name.
func (w *walk) constantText(v any, c *class, is java.TypeExpr) (any, error) {
	name, ok := v.(string)
	if !ok || c.Ordinal(name) < 0 {
		return nil, refuse("is no constant of %s", c.Name)
	}
	made, err := w.constantOf(c, name, is)
	if e, ok := made.(java.Enum); ok {
		return e.Name, nil
	}
	return made, err
}

// scalar rewrites a value that is no container and no object.
func (w *walk) scalar(v any, was, is java.TypeExpr) (any, error) {
	class, boxed := erased(java.TypeOf(java.ClassOf(v))), is
	if is.Dims == 0 {
		boxed = is.Boxed()
	}
	if w.form.typed {
		if made := w.literal(v, was, is); made != nil {
			return made, nil
		}
	} else if w.to.assignable(class, boxed) {
		return v, nil
	} else if made := w.other(v, boxed); made != nil {
		return made, nil
	}
	return nil, refuse("is %s of %s, which does not go into %s", shownJSON(v), class, shortType(is))
}

// other returns what says the same as a value in a place of another type, nil where nothing does.
func (w *walk) other(v any, is java.TypeExpr) any {
	if w.exact || is.Dims > 0 {
		return nil
	}
	n, text := w.to.class(is.Class), ""
	if s, ok := v.(string); ok {
		text = s
	}
	if !n.isEnum() || n.Ordinal(text) < 0 {
		return converted(v, is.Class)
	}
	w.used[n.Name] = true
	if w.form.names {
		return text
	}
	made, _ := n.Enum(n.Ordinal(text))
	return made
}

// literal returns what becomes of a value whose class is that of its place alone, nil where nothing does.
func (w *walk) literal(v any, was, is java.TypeExpr) any {
	from, to := kindOf(w.from, was), kindOf(w.to, is)
	texts := []kind{kindInt, kindBool, kindChar, kindText}
	n, whole := integer(v)
	switch {
	case erased(was) == erased(is), was.Class == objectClass && was.Dims == 0, is.Class == objectClass && is.Dims == 0 && slices.Contains(texts, from), is.Class == "java.lang.Number" && from == kindInt:
	case from == to && from == kindFloat && digits[was.Boxed().Class] <= digits[is.Boxed().Class]:
	case from == to && slices.Contains(texts, from), from == kindText && to == kindEnum && !w.exact:
	case from == kindInt && to == kindFloat && whole && n.IsInt64() && number64(n.Int64(), is.Boxed().Class) != nil:
	case to == kindText && !w.exact && slices.Contains(texts, from):
		if text, ok := v.(string); ok {
			return text
		}
		return converted(v, stringClass)
	default:
		return nil
	}
	if !loose(v, w.to, is) {
		return nil
	}
	return v
}

func shownJSON(v any) string { return codecs.Printable(string(view.Of(v)), 60) }

// loose reports whether a value of JSON may be one of a type, whose class the bytes do not name.
func loose(v any, p *program, is java.TypeExpr) bool {
	n, whole := integer(v)
	_, text := v.(string)
	switch kindOf(p, is) {
	case kindInt:
		return whole && n.IsInt64() && number64(n.Int64(), is.Boxed().Class) != nil
	case kindFloat:
		_, f := v.(float64)
		_, d := v.(java.BigDecimal)
		return whole || f || d
	case kindBool:
		_, ok := v.(bool)
		return ok
	case kindText:
		return text
	case kindEnum:
		return text && p.class(is.Class).Ordinal(v.(string)) >= 0 //nolint:forcetypeassert // text
	case kindChar:
		return text && len([]rune(v.(string))) == 1 //nolint:forcetypeassert // text
	case kindDate:
		return whole
	case kindBytes, kindOther, kindTime:
		return text || whole
	case kindList, kindMap, kindBean:
	}
	return is.Class == objectClass || is.Class == "java.lang.Number" && whole
}

// integer returns a number without a point.
func integer(v any) (*big.Int, bool) {
	switch v := v.(type) {
	case int8:
		return big.NewInt(int64(v)), true
	case int16:
		return big.NewInt(int64(v)), true
	case int32:
		return big.NewInt(int64(v)), true
	case int64:
		return big.NewInt(v), true
	case *big.Int:
		return v, true
	}
	return nil, false
}

// converted returns a value of a class that says the same as another one, nil where there is none.
func converted(v any, class string) any {
	if n, ok := integer(v); ok {
		switch {
		case class == stringClass:
			return n.String()
		case class == "java.math.BigInteger":
			return n
		case class == "java.math.BigDecimal":
			d, _ := java.ParseBigDecimal(n.String())
			return d
		case n.IsInt64():
			return number64(n.Int64(), class)
		}
		return nil
	}
	switch v := v.(type) {
	case bool:
		if class == stringClass {
			return strconv.FormatBool(v)
		}
	case java.Char:
		if class == stringClass && v < 0xd800 {
			return string(rune(v))
		}
	case float32:
		if class == "java.lang.Double" && strconv.FormatFloat(float64(v), 'g', -1, 64) == strconv.FormatFloat(float64(v), 'g', -1, 32) {
			return float64(v)
		}
	case float64:
		if f := float32(v); class == "java.lang.Float" && float64(f) == v && strconv.FormatFloat(v, 'g', -1, 64) == strconv.FormatFloat(v, 'g', -1, 32) {
			return f
		}
	}
	return nil
}

// number64 returns a number of a class, nil where that does not hold it.
func number64(n int64, class string) any {
	switch {
	case class == "java.lang.Byte" && n == int64(int8(n)):
		return int8(n)
	case class == "java.lang.Short" && n == int64(int16(n)):
		return int16(n)
	case class == "java.lang.Integer" && n == int64(int32(n)):
		return int32(n)
	case class == "java.lang.Long":
		return n
	case class == "java.lang.Float" && n == int64(float32(n)) && max(n, -n) < 1<<24:
		return float32(n)
	case class == "java.lang.Double" && max(n, -n) < 1<<53:
		return float64(n)
	}
	return nil
}

// zeroValue is what Java has in a field before anything is put there.
func zeroValue(t java.TypeExpr) any {
	if !t.Primitive() {
		return nil
	}
	switch t.Class {
	case "boolean":
		return false
	case "char":
		return java.Char(0)
	}
	return number64(0, t.Boxed().Class)
}

// given returns a value of the mapping as one of a declared type.
func (w *walk) given(v any, is java.TypeExpr) (any, error) {
	class := is.Boxed().Class
	n := w.to.class(class)
	switch v := v.(type) {
	case nil:
		return w.value(nil, anyType, is)
	case bool:
		if class == "java.lang.Boolean" || class == objectClass {
			return v, nil
		}
	case string:
		switch {
		case is.Dims > 0:
		case n.isEnum() && n.Ordinal(v) >= 0:
			return w.scalar(v, anyType, is)
		case class == stringClass || class == objectClass || class == "java.lang.CharSequence":
			return v, nil
		case class == "java.lang.Character" && len([]rune(v)) == 1 && []rune(v)[0] < 0xd800:
			return java.Char([]rune(v)[0]), nil
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			if made := number64(i, class); made != nil {
				return made, nil
			}
		}
		f, err := v.Float64()
		switch d, bad := java.ParseBigDecimal(v.String()); {
		case class == "java.math.BigDecimal" && bad == nil:
			return d, nil
		case class == "java.lang.Double" && err == nil:
			return f, nil
		case class == "java.lang.Float" && err == nil && math.Abs(f) <= math.MaxFloat32:
			return float32(f), nil
		}
	}
	return nil, refuse("has the value %v in the mapping, which is none of %s", v, shortType(is))
}

func zeroed(v any) bool {
	switch v := v.(type) {
	case bool:
		return !v
	case java.Char:
		return v == 0
	case float32:
		return v == 0
	case float64:
		return v == 0
	}
	n, ok := integer(v)
	return ok && n.Sign() == 0
}
