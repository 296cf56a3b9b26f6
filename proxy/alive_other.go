//go:build !unix

package proxy

import "net"

// alive cannot tell here: the first statement on a connection that has ended finds out.
func alive(net.Conn) bool { return true }
