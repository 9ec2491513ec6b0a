// Package javatext writes and reads numbers and strings as Java prints and
// parses them: Double.toString, Float.toString, Double.valueOf, Long.valueOf and
// the UTF-8 charset with its replacement rules.
package javatext
