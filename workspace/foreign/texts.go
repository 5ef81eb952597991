package foreign

// What a person reads of servers in the settings of other programs, as keys of their
// translations.
const (
	noteLeftOut  = "left out: %s"
	noteInput    = "set the variable %s: %s asks for it when it starts"
	noteVariable = "%s is no variable here: write what it stands for"
	noteEnvFile  = "%s is not read: name its variables under \"env\" or \"env_from\""
	noteBare     = "it has neither a command nor a url"

	problemShape = "%s is no object of servers"
	problemLarge = "it is larger than %d MB"
	problemFile  = "%s: %w"
)
