package server

// Tests do not look for models on the machine they run on; those that test it give
// addresses of their own.
func init() { wellKnownModels = nil }
