package login

import "weir/proxy/wire"

// Offered are the capabilities that Weir announces to clients, and the ones that it may ask backends for. See the
// package comment for why it is these.
const Offered = wire.ClientMySQL | wire.ClientFoundRows | wire.ClientLongFlag | wire.ClientConnectWithDB |
	wire.ClientIgnoreSpace | wire.ClientProtocol41 | wire.ClientInteractive | wire.ClientTransactions |
	wire.ClientSecureConnection | wire.ClientMultiStatements | wire.ClientMultiResults | wire.ClientPSMultiResults |
	wire.ClientSessionTrack | wire.ClientPluginAuth | wire.ClientConnectAttrs | wire.ClientPluginAuthLenenc

// offeredAsMariaDB are those that Weir announces to the clients of a MariaDB: there, the absence of bit 0 says that what
// follows is MariaDB's. Drivers that know [wire.ClientExtendedMetadata] give a JSON column as what it says, and others as
// its text. So it changes the bytes of a response, and has to be a part of what separates stored ones.
const offeredAsMariaDB = Offered&^wire.ClientMySQL | wire.ClientExtendedMetadata

// offered are the capabilities that clients of such a server are told of.
func offered(version string) wire.Capability {
	if flavorOf(version) == MariaDB {
		return offeredAsMariaDB
	}
	return Offered
}

// required are the capabilities without which there is no login, on either side.
const required = wire.ClientProtocol41 | wire.ClientSecureConnection

// basic are the ones that Weir always asks a backend for.
const basic = required | wire.ClientMySQL | wire.ClientLongFlag | wire.ClientTransactions | wire.ClientPluginAuth |
	wire.ClientPluginAuthLenenc
