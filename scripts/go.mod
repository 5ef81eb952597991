// What runs the project's checks: the standard library only, so that it starts
// on a machine that has Go and nothing else.
module github.com/codebot-ls/codebot-ls/scripts

go 1.26.0
