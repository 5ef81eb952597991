package agent

import (
	"encoding/json"
	"reflect"
	"testing"
)

func result(id string) Block {
	return Block{Kind: BlockToolResult, ID: id, Result: []Content{Text("r" + id)}}
}

func user(blocks ...Block) Message      { return Message{Role: RoleUser, Blocks: blocks} }
func assistant(blocks ...Block) Message { return Message{Role: RoleAssistant, Blocks: blocks} }

// A journal is cut anywhere and was written one result at a time, in the order
// they came.
func TestRepairMakesAnyJournalAHistory(t *testing.T) {
	hi := user(textBlock("hi"))
	thinking := Block{Kind: BlockThinking, Thinking: "hm"}
	for _, c := range []struct {
		name string
		in   []Message
		want string
	}{
		{"results come in the order they ended", []Message{hi, assistant(use("a", "x", "{}"), use("b", "x", "{}")), user(result("b")), user(result("a"))},
			"user \"hi\"\nassistant x#a{} x#b{}\nuser result#a result#b"},
		{"a crash between two results", []Message{hi, assistant(use("a", "x", "{}"), use("b", "x", "{}")), user(result("b"))},
			"user \"hi\"\nassistant x#a{} x#b{}\nuser result#a result#b"},
		{"a crash before the results, then a new prompt", []Message{hi, assistant(use("a", "x", "{}")), user(textBlock("again"))},
			"user \"hi\"\nassistant x#a{}\nuser result#a \"again\""},
		{"a cancelled prompt, then another", []Message{hi, user(textBlock("again"))}, "user \"hi\" \"again\""},
		{"an id used twice", []Message{hi, assistant(use("a", "x", "{}")), user(result("a")), assistant(use("a", "x", "{}")), user(result("a"))},
			"user \"hi\"\nassistant x#a{}\nuser result#a\nassistant x#a_2{}\nuser result#a_2"},
		{"the answer to nothing", []Message{hi, user(result("z")), assistant(textBlock("ok"))}, "user \"hi\"\nassistant \"ok\""},
		{"empty texts and lone thinking", []Message{hi, assistant(textBlock(""), thinking), user(textBlock("  ")), assistant(thinking, textBlock("ok"), thinking)},
			"user \"hi\"\nassistant thinking \"ok\""},
		{"bad arguments", []Message{hi, assistant(use("a", "x", `{"b`)), user(result("a"))}, "user \"hi\"\nassistant x#a{}\nuser result#a"},
		{"an answer without a question", []Message{assistant(textBlock("ok")), hi}, "user \"hi\""},
		{"nothing", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Repair(c.in)
			checkValid(t, got)
			if s := historyText(got); s != c.want {
				t.Errorf("got\n%s\nwant\n%s", s, c.want)
			}
		})
	}
}

func TestAppendChangesNothingThatWasHandedOver(t *testing.T) {
	h := []Message{user(textBlock("hi")), assistant(use("a", "x", "{}"), use("b", "x", "{}"))}
	one := Append(h, user(result("b")))
	two := Append(one, user(result("a")))
	if got := historyText(one); got != "user \"hi\"\nassistant x#a{} x#b{}\nuser result#b" {
		t.Errorf("the first was changed:\n%s", got)
	}
	if got := messageText(two[2]); got != "user result#a result#b" {
		t.Errorf("%s", got)
	}
}

// Whatever stands in a journal, Repair ends in a history that providers take, and
// leaves a valid one alone.
func FuzzRepair(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add([]byte{1, 18, 34, 3, 3, 20, 52, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		var h []Message
		for _, x := range b {
			role := RoleUser
			if x&1 == 1 {
				role = RoleAssistant
			}
			id := string('a' + rune(x>>4&3))
			blocks := map[byte]Block{
				0: textBlock("t"), 1: use(id, "x", "{}"), 2: result(id), 3: textBlock(""),
				4: {Kind: BlockThinking, Thinking: "h"}, 5: use("", "x", "{"), 6: {Kind: "odd"}, 7: {Kind: BlockToolResult, ID: id},
			}
			bl := blocks[x>>1&7]
			if n := len(h); n > 0 && h[n-1].Role == role && x>>6&1 == 1 {
				h[n-1].Blocks = append(h[n-1].Blocks, bl)
			} else {
				h = append(h, Message{Role: role, Blocks: []Block{bl}})
			}
		}
		before, _ := json.Marshal(h)
		got := Repair(h)
		checkValid(t, got)
		if again := Repair(got); !reflect.DeepEqual(got, again) {
			t.Fatalf("not idempotent\n%s\nthen\n%s", historyText(got), historyText(again))
		}
		if after, _ := json.Marshal(h); string(before) != string(after) {
			t.Fatal("its argument was changed")
		}
	})
}
