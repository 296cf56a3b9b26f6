package wire

// First bytes of a server's packets. What they mean depends on where in the exchange a packet comes.
const (
	// HeaderOK starts OK packets, and [Prepared].
	HeaderOK = 0x00
	// HeaderAuthMore starts [AuthMoreData].
	HeaderAuthMore = 0x01
	// HeaderAuthNextFactor starts the request for a second password. MySQL 8.0.27 and later, with
	// [ClientMultiFactor] only; it is not decoded.
	HeaderAuthNextFactor = 0x02
	// HeaderLocalInfile starts the request for a file of the client's.
	HeaderLocalInfile = 0xFB
	// HeaderEOF starts EOF packets of less than nine bytes.
	HeaderEOF = 0xFE
	// HeaderAuthSwitch starts [AuthSwitchRequest], during the connection phase.
	HeaderAuthSwitch = 0xFE
	// HeaderErr starts ERR packets.
	HeaderErr = 0xFF
)
