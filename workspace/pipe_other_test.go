//go:build !unix

package workspace

func makePipe(string) bool { return false }
