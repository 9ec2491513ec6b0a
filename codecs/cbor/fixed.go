package cbor

// render returns what write appends.
func (g *generator) render(write func() error) (string, error) {
	out, wrapped := g.out, g.wrapped
	g.out = nil
	err := write()
	rendered := string(g.out)
	g.out, g.wrapped = out, wrapped
	return rendered, err
}

// RenderKey renders the name of a property of a bean.
func (g *generator) RenderKey(name string) (string, error) {
	return g.render(func() error { return g.property(name) })
}

func (g *generator) RenderObject(class string) (string, error) {
	return g.render(func() error {
		g.out = append(g.out, majorMap|indefinite)
		g.out = append(g.out, typeKey...)
		return g.String(class)
	})
}

func (g *generator) RenderWrap(class string) (string, error) {
	return g.render(func() error { return g.Wrap(class) })
}

func (g *generator) FixedKey(rendered string) { g.out = append(g.out, rendered...) }

func (g *generator) FixedObject(rendered string, _ int) {
	class := rendered[1+len(typeKey):] // behind a head of one or two bytes
	g.mapKeys = append(g.mapKeys, ofJDK(class[1:]) || ofJDK(class[min(2, len(class)):]))
	g.out = append(g.out, rendered...)
}

func (g *generator) FixedWrap(rendered string) {
	g.out = append(g.out, rendered...)
	g.wrapped = len(g.out)
}
