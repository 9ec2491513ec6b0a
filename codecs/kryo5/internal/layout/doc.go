// Package layout derives how Kryo's FieldSerializer writes a bean from the
// description of its class: which fields, in which order, in which form, and what
// the generic type of a field says about the values inside it.
//
// All of it is static except for type variables, which Kryo looks up while it
// writes. The caller keeps a [Scope] for them. The rules, for a value with context
// ctx (a [*Type], nil at the top and wherever no context is passed):
//
//   - A bean: mark := scope.Enter(bean, ctx); for each field known := scope.Field(f);
//     the value of the field has context f.Type; scope.Leave(mark) at the end.
//   - A collection: known, elem := scope.Element(ctx). Known is the final class of
//     the elements, which are then written without one; elem is their context and
//     that of a comparator.
//   - A map: see [Scope.Entry].
//   - Everything else, arrays and records among them, passes no context on.
package layout
