package login

import "weir/proxy/wire"

// Offered are the capabilities that Weir announces to clients, and the ones that it may ask backends for. See the
// package comment for why it is these.
const Offered = wire.ClientMySQL | wire.ClientFoundRows | wire.ClientLongFlag | wire.ClientConnectWithDB |
	wire.ClientIgnoreSpace | wire.ClientProtocol41 | wire.ClientInteractive | wire.ClientTransactions |
	wire.ClientSecureConnection | wire.ClientMultiStatements | wire.ClientMultiResults | wire.ClientPSMultiResults |
	wire.ClientPluginAuth | wire.ClientConnectAttrs | wire.ClientPluginAuthLenenc

// required are the capabilities without which there is no login, on either side.
const required = wire.ClientProtocol41 | wire.ClientSecureConnection

// basic are the ones that Weir always asks a backend for.
const basic = required | wire.ClientMySQL | wire.ClientLongFlag | wire.ClientTransactions | wire.ClientPluginAuth |
	wire.ClientPluginAuthLenenc
