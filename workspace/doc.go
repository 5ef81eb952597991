// Package workspace knows what the user and the opened folders ask for: the
// layered settings files and what is wrong with them, which project entries a
// person has approved, and the unsaved text of open documents. It watches the
// files and publishes each change as one immutable [Snapshot].
//
// It acts on nothing: it starts no server, reads no variable and sends nothing.
// Providers and permission rules are plain data here.
package workspace
