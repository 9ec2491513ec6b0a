// Package serialtest holds the two object streams, java.io (package serialization)
// and River (package marshalling), to one set of rules. Each package gives it a
// [Stream] and runs it in its tests; what concerns the bytes of one stream alone is
// tested there.
//
//   - rules.go, beans.go: [Stream.Rules], what users may rely on
//   - ways.go, random.go, types.go: [Stream.TwoWays], [Ways]: the typed plan and the
//     way by values give the same results
//   - payloads.go: what Java wrote, its prefixes, hostile payloads, fuzz targets
//   - bench.go: the benchmarks of both
package serialtest
