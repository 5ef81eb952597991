package model

import (
	"reflect"
	"testing"

	"github.com/codebot-ls/codebot-ls/session/lang/langtest"
)

// What the planner says is kept by language, not by text: it speaks that of the
// prompt. Each text is there in both, with the same arguments.
func TestThePlannerSaysEverythingInBothLanguages(t *testing.T) {
	en, zh := reflect.ValueOf(english), reflect.ValueOf(chinese)
	for i := range en.NumField() {
		name, text, translation := en.Type().Field(i).Name, en.Field(i).String(), zh.Field(i).String()
		if text == "" {
			t.Errorf("%s is empty", name)
		}
		if problem := langtest.Unlike(text, translation); problem != "" {
			t.Errorf("%s: %q %s", name, translation, problem)
		}
	}
}
