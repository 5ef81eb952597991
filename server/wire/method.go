// Package wire is the only declaration of the custom part of the protocol between
// an editor and codebot-ls: the methods codebot/* and every type they carry. The
// dispatch of the server, docs/protocol.md and the TypeScript and Lua types of the
// plug-ins are made from it. It imports nothing of ours.
//
// The session family has the shapes of the Agent Client Protocol (ACP), version 1.
// Lists are never null, enums are strings, durations are milliseconds and say so in
// their name, times are ISO 8601 and a field without a value is absent.
package wire

//go:generate go run ./gen

import "reflect"

// Direction says who sends a message.
type Direction string

// The directions.
const (
	ToServer Direction = "editor to server"
	ToClient Direction = "server to editor"
)

// Method is one row of the method table.
type Method struct {
	Name string
	// Direction says who sends it.
	Direction Direction
	// Notification says that there is no answer; Result is nil then.
	Notification bool
	Params       reflect.Type
	Result       reflect.Type
	// Var is the name of the Go variable that declares it, where its doc stands.
	Var string
}

// Request is the typed handle of a request method: what takes P answers with R.
type Request[P, R any] struct{ Name string }

// Notification is the typed handle of a notification method.
type Notification[P any] struct{ Name string }

// table is in declaration order; Methods returns it.
var table []Method

// Methods returns every method of the protocol in the order of its declaration.
func Methods() []Method { return append([]Method(nil), table...) }

func request[P, R any](varName, name string, dir Direction) Request[P, R] {
	table = append(table, Method{Name: name, Direction: dir, Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R](), Var: varName})
	return Request[P, R]{Name: name}
}

func notification[P any](varName, name string, dir Direction) Notification[P] {
	table = append(table, Method{Name: name, Direction: dir, Notification: true, Params: reflect.TypeFor[P](), Var: varName})
	return Notification[P]{Name: name}
}

// Empty is the params or result of a method that carries nothing: {}.
type Empty struct{}
