package mcp

import (
	"maps"
	"slices"
	"strings"
)

// What a child gets of our environment without being asked for: enough to find
// its program, its home, its locale, the network's proxies and certificates, and
// the tool chains that servers are installed with. A name that ends in "*"
// stands for all that begin so. No credential of a model provider is among them,
// nor may one be added.
var (
	childEnvCommon = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TERM", "TMPDIR", "XDG_*",
		"SSH_AUTH_SOCK", "DISPLAY", "WAYLAND_DISPLAY", "DOCKER_HOST",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
		"http_proxy", "https_proxy", "all_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
		"npm_config_*", "NVM_DIR", "VOLTA_HOME", "UV_*",
	}
	childEnvWindows = []string{
		"SystemRoot", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "ProgramFiles*", "COMSPEC", "PATHEXT",
		"TEMP", "TMP", // what TMPDIR is elsewhere
	}
)

// ChildEnv returns the environment of the child of an expanded entry on the
// system goos, as "NAME=value", sorted by name: the few variables of environ
// every child gets, those the entry names in env_from, and on top what it sets in
// env. withheld are the sorted names of environ that the child does not get, for
// the message of a start that failed. On Windows case does not tell names apart.
func ChildEnv(environ []string, cfg ServerConfig, goos string) (env, withheld []string) {
	key := func(name string) string { return name }
	allowed := childEnvCommon
	if goos == "windows" {
		key = strings.ToUpper
		allowed = slices.Concat(childEnvCommon, childEnvWindows)
	}
	passes := func(name string) bool {
		k := key(name)
		return slices.ContainsFunc(allowed, func(pattern string) bool {
			if prefix, many := strings.CutSuffix(pattern, "*"); many {
				return strings.HasPrefix(k, key(prefix))
			}
			return k == key(pattern)
		}) || slices.ContainsFunc(cfg.EnvFrom, func(named string) bool { return k == key(named) })
	}

	given := make(map[string]string) // by key: "NAME=value"
	held := make(map[string]string)  // by key: NAME
	for _, entry := range environ {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || name == "" { // Windows keeps the folder of each drive as "=C:=C:\..."
			continue
		}
		if passes(name) {
			given[key(name)] = entry // the last one wins, as in os/exec
		} else {
			held[key(name)] = name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Env)) {
		given[key(name)] = name + "=" + cfg.Env[name]
		delete(held, key(name))
	}
	for _, k := range slices.Sorted(maps.Keys(given)) {
		env = append(env, given[k])
	}
	return env, slices.Sorted(maps.Values(held))
}
