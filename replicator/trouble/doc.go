// Package trouble keeps what goes wrong again and again from filling the log. Somebody who tries several times a second is
// to be quick when a server is back, and to be heard of once a minute while it is away.
//
// It is not for what is told once, when it begins, and once when it ends: that needs no clock.
package trouble
