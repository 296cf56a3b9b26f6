// Package status says how a Weir is, in one value: [Overview]. The status page shows it, weir top shows it, and
// /api/v1/overview and /api/v1/events give it to programs.
//
// A [Sampler] takes a [Reading] once a second, whether or not anybody looks, so that whoever looks later finds the last ten
// minutes: what holds now is passed on, and of what only grows it makes rates. A [Feed] hands each overview to those who
// listen. Nothing here is on the way of a statement, and nothing is decided by it.
//
// What is shown has no passwords, no literals of statements and no values of parameters: whoever makes a Reading leaves
// them out, since this package cannot tell them from the rest.
package status
