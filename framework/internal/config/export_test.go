package config

// Names lists the settings of a struct: their paths and variables.
func Names(into any, prefix string) (names []string) {
	for _, f := range fieldsOf(into) {
		names = append(names, f.path+" "+f.env(prefix))
	}
	return names
}
