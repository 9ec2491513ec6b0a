// Package web looks at the console with Chromium, as people do: from the first click to the
// effect in Redis. It has tests alone. With DUEQUEUE_TEST_SCREENSHOTS=folder they leave pictures
// of all pages there.
//
// testdata/axe.min.js is axe-core 4.14.1 from npm, under the Mozilla Public License 2.0, as its
// head says; it judges whether pages can be used by all.
package web
