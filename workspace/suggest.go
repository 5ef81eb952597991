package workspace

import "strings"

// suggest returns the one of known that word was probably meant to be, or "".
func suggest(word string, known []string) string {
	best, bestDistance := "", 3 // more than two slips is another word
	for _, k := range known {
		if plain(word) == plain(k) {
			return k
		}
		if d := distance(plain(word), plain(k)); d < bestDistance && 2*d < len(k) {
			best, bestDistance = k, d
		}
	}
	return best
}

// plain removes what spellings of one key differ in: camelCase, snake_case, kebab-case.
func plain(s string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(s))
}

// distance is the edit distance of two words. Words too long to be a key are
// simply far apart.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
