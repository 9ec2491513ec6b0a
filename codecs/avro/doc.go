// Package avro reads and writes Avro.
package avro
