// Package top is weir top: a screen in a terminal that shows how a Weir is, once a second.
//
// It asks the admin port for the overview, which is all that it knows. What is on the screen follows from the [Model] alone:
// from the newest overview, the size of the terminal, and the keys that were pressed. Colours add nothing that words do not
// say. Texts come from clients of Weir, so what a terminal would take for a command is taken out of them, see [clean].
package top
