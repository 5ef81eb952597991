// Package mcp is the MCP client side: the configuration of servers, the
// connections to them, and their tools as tools of the agent. Nothing outside
// mcp/... imports the MCP SDK, and mcp imports neither the session nor the editor.
//
// # How it hangs together
//
// A [Manager] runs the servers of one scope: the user's, or one folder's. Its
// Reconfigure compares unexpanded entries and decides, in one pure function, what
// to start, stop, restart or leave. Each server that runs has a connection, which
// one goroutine owns from its start until it is stopped or given up; it connects, lists,
// and publishes immutable pictures, in which state, tools and instructions belong
// together. A [Reader] merges the pictures of the user's and a folder's servers for
// one session, without waiting for any server.
//
// # What may be relied on
//
//   - There is never more than one process of a server: a connection begins when the
//     one it replaces has ended.
//   - A picture of a connection that was replaced is dropped.
//   - A session that is lost is made anew: at once and unseen when the server only
//     forgot it, else after a pause that grows and a bounded number of times. A server
//     that fails at its start, or wants a login, is left to a person.
//   - A call is made twice only where nothing was sent, or by a tool that is trusted to
//     only read.
//   - What goes wrong over HTTP is an error of one exchange below the SDK (httpLink);
//     only the connection decides that a session is lost.
//   - A row that may not run (disabled, wrong, not approved) was never expanded, and
//     nothing was started or sent for it.
//   - Whoever waits (Start, StartAll, Settle) may stop waiting; it undoes nothing.
//   - Close, Stop and the end of a server leave no process of its group; a kill -9 of
//     ourselves does not either.
//   - A change and the mark for those who refresh are one step, under the lock;
//     callbacks come after what they are about is visible, and never under a lock.
//
// Not to be relied on: that each state is seen. Who asks sees the newest.
package mcp
