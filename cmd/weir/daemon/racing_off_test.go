//go:build !race

package daemon

// raceEnabled says that this is built with -race.
const raceEnabled = false
