package workspace

import (
	"path/filepath"
	"runtime"

	"github.com/codebot-ls/codebot-ls/session/lang"
)

// Names of what is kept on disk.
const (
	configDir    = ".codebot"
	settingsName = "settings.json"
	trustName    = "trust.json"
)

// Home returns the absolute path of the directory that holds the user's settings:
// $CODEBOT_HOME, else .codebot in the user's home. getenv must read the
// environment of this process and nothing a workspace can write, such as a .env
// file (compare CVE-2025-61260).
func Home(getenv func(string) string) (string, error) {
	if dir := getenv("CODEBOT_HOME"); dir != "" {
		// A relative one would be found in whatever folder we were started in.
		if !filepath.IsAbs(dir) {
			return "", lang.Errorf(zh, msgRelative, "CODEBOT_HOME", dir)
		}
		return filepath.Clean(dir), nil
	}
	home, err := UserHome(getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(home, configDir), nil
}

// UserHome returns the absolute path of the user's home directory.
func UserHome(getenv func(string) string) (string, error) {
	name := "HOME"
	if runtime.GOOS == "windows" {
		name = "USERPROFILE"
	}
	switch dir := getenv(name); {
	case dir == "":
		return "", lang.Errorf(zh, msgNoHome, name)
	case !filepath.IsAbs(dir):
		return "", lang.Errorf(zh, msgRelative, name, dir)
	default:
		return filepath.Clean(dir), nil
	}
}

// SettingsFile returns the path of the settings file in a user's directory as
// [Home] returns it.
func SettingsFile(home string) string { return filepath.Join(home, settingsName) }

// ProjectSettingsFile returns the path of the settings file of a folder.
func ProjectSettingsFile(folder string) string {
	return filepath.Join(folder, configDir, settingsName)
}
