// Package assist knows what an editor can show of a settings file while somebody
// writes it: what is wrong and how to mend it, what could come next, what a key
// means, how a server is doing. It works on a text that is typed at this moment, so
// nothing here needs the text to be whole: a tree is made of whatever is there.
//
// It starts nothing and asks no server. What it says of the environment is which
// variables exist, never what is in them.
package assist
