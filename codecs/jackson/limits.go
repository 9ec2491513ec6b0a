package jackson

// maxNumber bounds the characters of one number, as Jackson does since 2.15:
// reading n digits takes more than linear time.
const maxNumber = 1000

// maxPlainScale bounds a BigDecimal's scale when it is written without an
// exponent, as Jackson does: 1E+999999999 would be a gigabyte of zeros.
const maxPlainScale = 9999

// prefix of all nodes of Jackson's own tree model, inside which no class is named.
const nodePackage = "com.fasterxml.jackson.databind.node."
