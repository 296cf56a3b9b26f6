// Package daemon puts Weir together: it reads the configuration, connects the packages that must not know each other,
// and runs them. It is what weir serve and weir demo run, and what the integration tests start.
package daemon
