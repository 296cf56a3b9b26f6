//go:build !race

package cache

// raceEnabled tells tests that only measure that the race detector makes them slow.
const raceEnabled = false
