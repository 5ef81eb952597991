// Package rpc is the JSON-RPC side of one editor connection: a stream that no
// malformed message can end, a codec that knows the unions of LSP, and the chain
// of handlers that keeps document edits in wire order while long requests let the
// next message in.
//
// The chain, from the outside in, is
//
//	Guard(protocol.CancelHandler(Order(Guard(lifecycle(route)))))
//
// The outer guard swallows errors of notifications, for a broken $/cancelRequest
// would end the connection; the inner one recovers inside the ordered goroutine.
package rpc
