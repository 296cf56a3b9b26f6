// Package lag measures how long a change takes from its commit until no old result of it is served, and until each server
// shows it:
//
//	commit ──▶ delivered ──▶ ledger ──▶ visible on a backend
//	           the event is   no old     what is read there
//	           with Weir      result is  can be kept again
//	                          served
//
// Times from a commit compare the source's clock with this machine's, and on MariaDB the source tells whole seconds only;
// all others are of this machine's clock alone. Nothing here has a say in what is served.
package lag
