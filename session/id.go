package session

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"strings"
	"time"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// ErrBadID answers an id that no session of ours has.
var ErrBadID = lang.Errorf(zh, textBadID)

var idPattern = regexp.MustCompile(`^[0-9]{17}-[0-9a-f]{12}$`)

// NewID makes a session id: the time in milliseconds (UTC), so that ids sort by
// age, and 48 random bits. It is safe as a file name.
func NewID(now time.Time) string {
	var b [6]byte
	rand.Read(b[:]) // never fails
	stamp := strings.Replace(now.UTC().Format("20060102150405.000"), ".", "", 1)
	return stamp + "-" + hex.EncodeToString(b[:])
}

// ValidID reports whether id has the shape NewID gives. Nothing else is ever made
// part of a path.
func ValidID(id string) bool { return idPattern.MatchString(id) }
