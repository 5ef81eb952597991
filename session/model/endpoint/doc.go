// Package endpoint is what the clients of model providers share: one HTTP request
// whose answer streams, sent again while nothing was shown, its failures told
// apart, its body built from parts that are encoded once.
//
// It uses net/http and no provider's SDK; docs/models.md has the measurements and
// the reasons.
package endpoint
