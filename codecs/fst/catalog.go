package fst

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/duequeue/duequeue/codecs/internal/bridge"
	"github.com/duequeue/duequeue/codecs/internal/jdk"
	"github.com/duequeue/duequeue/codecs/internal/jdkclass"
	"github.com/duequeue/duequeue/codecs/internal/serial"
	"github.com/duequeue/duequeue/codecs/java"
)

// catalog is the set of classes a codec or binding knows. It is built once and
// never changed.
type catalog struct {
	base     *catalog // the classes of the JDK; nil in that one itself
	byName   map[string]*class
	byID     []*class // from firstID
	unshared bool
}

// find returns the class of that name, one that cannot be read where it is not
// known.
func (k *catalog) find(name string) *class {
	if c := k.byName[name]; c != nil {
		return c
	}
	if k.base != nil {
		return k.base.find(name)
	}
	if elem, dims := jdk.Innermost(name); dims > 0 {
		return &class{name: name, elem: elem, dims: dims}
	}
	return &class{name: name, missing: unknownClass}
}

const unknownClass = "its fields are not known, and FST writes neither names nor types: give its descriptor with fst.Classes, or bind to a Go type that declares it"

// sharedCatalog returns the classes of the JDK, which all codecs share.
func sharedCatalog(g generation) *catalog { return jdkCatalogs[g]() }

var jdkCatalogs = [...]func() *catalog{
	before245: sync.OnceValue(func() *catalog { return jdkCatalog(before245) }),
	standard:  sync.OnceValue(func() *catalog { return jdkCatalog(standard) }),
	three:     sync.OnceValue(func() *catalog { return jdkCatalog(three) }),
}

func jdkCatalog(g generation) *catalog {
	in := newChains(&settings{gen: g}, func(name string) *java.Class { return jdkclass.Enums[name] })
	k := &catalog{byName: make(map[string]*class, len(jdkTable)+len(builtin)+len(jdkclass.Enums))}
	for name, read := range builtin {
		k.byName[name] = &class{name: name, read: read}
	}
	for _, way := range in.ways {
		for name, read := range way {
			k.byName[name] = &class{name: name, read: read}
		}
	}
	for _, names := range []iter.Seq[string]{maps.Keys(jdkTable), maps.Keys(jdkclass.Enums)} {
		for name := range names {
			if k.byName[name] == nil {
				k.byName[name] = in.class(name)
			}
		}
	}
	k.number(registry(g, nil))
	return k
}

// newCatalog adds to the classes of the JDK those described, which find gives.
func newCatalog(s *settings, find func(name string) *java.Class, described []string) *catalog {
	k := &catalog{base: sharedCatalog(s.gen), byName: map[string]*class{}, unshared: s.unshared}
	in := newChains(s, find)
	for _, name := range append(described, slices.Sorted(maps.Keys(s.object))...) {
		// JDK classes with a serializer or hooks are what they are.
		if c := k.base.byName[name]; c == nil || c.read == nil && !c.hooked && c.form == formObject {
			k.byName[name] = in.class(name)
		}
	}
	for name, read := range s.external {
		k.byName[name] = &class{name: name, read: readExternal(read)}
	}
	if k.byID = k.base.byID; len(s.registered) > 0 {
		k.number(registry(s.gen, s.registered))
	}
	return k
}

// number gives the registered classes their ids.
func (k *catalog) number(names []string) {
	k.byID = make([]*class, len(names))
	for i, name := range names {
		k.byID[i] = k.find(name)
	}
}

// chains builds classes from the descriptors of their hierarchies.
type chains struct {
	*settings
	find func(name string) *java.Class
	ways []map[string]func(d *decoder, c *class, at int) (any, error)
}

func newChains(s *settings, find func(name string) *java.Class) *chains {
	in := &chains{settings: s, find: find, ways: []map[string]func(d *decoder, c *class, at int) (any, error){inherited}}
	if s.gen == three {
		in.ways = append(in.ways, inheritedThree)
	}
	return in
}

// link is one class of a hierarchy, described by the user or in the JDK table.
type link struct {
	name   string
	super  string
	hook   bool
	closed bool // a user's class whose writeObject writes what no option says
	fields []field
	jdk    *jdkClass
	user   *java.Class
	custom func(in *Input) []any
}

func (in *chains) link(name string) *link {
	if desc := in.find(name); desc != nil {
		if jdk := jdkTable[name]; jdk == nil || !jdk.hook && jdk.form == formObject && jdk.finish == nil {
			return in.userLink(desc)
		}
	}
	jdk := jdkTable[name]
	switch {
	case jdk == nil && in.object[name] != nil: // a class without a description, without fields
		return in.userLink(&java.Class{Name: name})
	case jdk == nil:
		return nil
	}
	return jdkLink(name, jdk)
}

func jdkLink(name string, jdk *jdkClass) *link {
	l := &link{name: name, super: jdk.super, hook: jdk.hook, jdk: jdk}
	for _, f := range jdk.fields {
		l.fields = append(l.fields, newField(name, f.Name, f.Type))
	}
	return l
}

func (in *chains) userLink(desc *java.Class) *link {
	l := &link{name: desc.Name, super: desc.Super.Class, user: desc, custom: in.object[desc.Name]}
	l.hook = in.hooks[desc.Name] || l.custom != nil
	l.closed = !l.hook
	for _, f := range desc.Fields {
		l.fields = append(l.fields, newField(desc.Name, f.Name, serial.Erase(f.Type, desc.Params)))
	}
	return l
}

const objectClass = "java.lang.Object"

// maxChain bounds a hierarchy, which may be a circle in a wrong descriptor.
const maxChain = 64

// class builds the class of that name.
func (in *chains) class(name string) *class {
	c := &class{name: name}
	var chain []*link // from the class up
	for at := name; at != "" && at != objectClass; {
		for _, way := range in.ways {
			if read := way[at]; read != nil {
				return &class{name: name, read: read}
			}
		}
		l := in.link(at)
		if l == nil || len(chain) == maxChain {
			c.missing = "its superclass " + at + " is not described: give its descriptor with fst.Classes"
			return c
		}
		chain = append(chain, l)
		at = l.super
	}
	if len(chain) > 0 && chain[0].user != nil {
		if done := in.special(c, chain[0].user); done {
			return c
		}
	}
	if len(chain) == 0 {
		return c // java.lang.Object itself
	}
	slices.Reverse(chain)
	for _, l := range chain {
		c.hooked = c.hooked || l.hook
	}
	in.assemble(c, chain)
	if jdk := chain[len(chain)-1].jdk; jdk != nil && jdk.older != nil {
		c.older, c.wasOlder = &class{name: name}, jdk.wasOlder
		in.assemble(c.older, []*link{jdkLink(name, jdk.older)})
	}
	return c
}

// special settles enums and classes that write themselves.
func (in *chains) special(c *class, desc *java.Class) bool {
	switch {
	case desc.Kind == java.KindEnum:
		c.isEnum, c.enum = true, desc
		return true
	case slices.Contains(desc.Interfaces, "java.io.Externalizable"):
		c.missing = "it is Externalizable: only its readExternal method knows what it wrote (fst.ReadExternal)"
		return true
	}
	return false
}

// assemble orders the fields and finds out what the class becomes.
func (in *chains) assemble(c *class, chain []*link) {
	own := map[string]bool{} // levels of the user's that hold something
	for _, l := range chain {
		if l.jdk != nil {
			if c.form, c.finish = l.jdk.form, l.jdk.finish; l.jdk.shaped {
				c.finish = shapedAs(l.name)
			}
			continue
		}
		if len(l.fields) > 0 || l.custom != nil {
			own[l.name] = true
		}
	}
	switch {
	case len(own) > 0 && (c.form == formList || c.form == formMap):
		c.own = own
	case len(own) > 0:
		c.form, c.finish = formObject, nil
	}
	bottom := chain[len(chain)-1].user
	for _, l := range chain {
		if !c.hooked {
			c.fields = append(c.fields, l.fields...)
			continue
		}
		if !serializable(l.user, bottom) {
			continue // a hooked class leaves out what is above the serializable part
		}
		lv := level{class: l.name, fields: sortFields(slices.Clone(l.fields)), closed: l.closed, custom: l.custom}
		if l.jdk != nil {
			lv.tail = l.jdk.tail
		}
		c.levels = append(c.levels, lv)
	}
	sortFields(c.fields)
}

// serializable reports whether a level of a hierarchy is, which only class files
// tell: the lowest class then names its interfaces.
func serializable(l, bottom *java.Class) bool {
	if l == nil || bottom == nil || len(bottom.Interfaces) == 0 {
		return true
	}
	return slices.Contains(l.Interfaces, "java.io.Serializable")
}

// maxCombinations bounds how often a payload is read.
const maxCombinations = 16

// catalogs returns one catalog per combination of the variants in set, that of
// all first variants first.
func (c *Codec) catalogs(set *java.Classes) ([]*catalog, error) {
	set, err := bridge.WithKnown(set)
	if err != nil {
		return nil, err
	}
	var names []string // with several variants
	combinations := 1
	seen := map[string]bool{}
	for desc := range set.All() {
		if n := len(set.Variants(desc.Name)); n > 1 && !seen[desc.Name] {
			seen[desc.Name] = true
			names = append(names, desc.Name)
			combinations = min(combinations*n, maxCombinations+1)
		}
	}
	if combinations > maxCombinations {
		return nil, fmt.Errorf("%d classes with several descriptors make more than %d combinations: give fewer variants", len(names), maxCombinations)
	}
	out := make([]*catalog, 0, combinations)
	for n := range combinations {
		chosen := map[string]*java.Class{}
		for _, name := range names {
			variants := set.Variants(name)
			chosen[name] = variants[n%len(variants)]
			n /= len(variants)
		}
		out = append(out, newCatalog(&c.settings, pick(set, chosen), described(set)))
	}
	return out, nil
}

// pick finds descriptors: the chosen variant, or the only one.
func pick(set *java.Classes, chosen map[string]*java.Class) func(name string) *java.Class {
	return func(name string) *java.Class {
		if desc := chosen[name]; desc != nil {
			return desc
		}
		return set.Find(name)
	}
}

// described lists the names to build classes of.
func described(set *java.Classes) []string {
	var names []string
	for desc := range set.All() {
		names = append(names, desc.Name)
		for _, constant := range desc.Constants {
			if constant.Body != "" {
				names = append(names, constant.Body)
			}
		}
	}
	return names
}
