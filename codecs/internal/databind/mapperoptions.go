package databind

// Singles is what a mapper takes single values for.
type Singles int

// The ways with lists and arrays of one element.
const (
	SinglesInArrays Singles = iota
	SinglesRead
	SinglesBare
)

// Naming is the strategy of setPropertyNamingStrategy: how fields are called in JSON.
type Naming int

// The strategies, by their constants in PropertyNamingStrategies.
const (
	NoNaming Naming = iota
	SnakeCase
	UpperSnakeCase
	KebabCase
	UpperCamelCase
	LowerCase
	LowerDotCase
)

var namings = []string{
	NoNaming: "NONE", SnakeCase: "SNAKE_CASE", UpperSnakeCase: "UPPER_SNAKE_CASE", KebabCase: "KEBAB_CASE",
	UpperCamelCase: "UPPER_CAMEL_CASE", LowerCase: "LOWER_CASE", LowerDotCase: "LOWER_DOT_CASE",
}

// Enums is how a mapper writes enums.
type Enums int

// The forms of enums.
const (
	EnumNames Enums = iota
	EnumOrdinals
)
