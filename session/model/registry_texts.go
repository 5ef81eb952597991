package model

// What a person reads about models. What the offline planner says is in texts.go.
const (
	textOfflineName = "Offline planner (no language model)"
	textBadID       = "the model %q is not of the form <provider>/<model>: choose one of the list, or \"offline\""
	textNoProvider  = "the model %q needs the provider %q, which is not in \"providers\" of ~/.codebot/settings.json: add it there, or choose \"offline\""
	textUnusable    = "%s cannot be used: %s"
	textType        = "the type %q is unknown: it is \"anthropic\", or \"openai\" for anything compatible"
	textNoKey       = "no key: set \"api_key\" of its provider in ~/.codebot/settings.json, or the environment variable %s"
	textCAFile      = "its \"ca_file\" cannot be used: %v"
	textNoModels    = "no model is known: name some in \"models\" of the provider %q in ~/.codebot/settings.json"
	textNotThere    = "nothing answers at %s: start it, or correct \"base_url\""
	textNoList      = "%s answers, but not as a model's endpoint: correct \"base_url\""
)
