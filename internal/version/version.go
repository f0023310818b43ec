// Package version orders the versions of software as the texts of tags and fields have them: semantic versions,
// calendar versions, timestamps and chartpress' tags (rules/conflicts: newest).
package version

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// Compare returns -1, 0 or 1 if a is older than b, as old, or newer. It is not ok if they have no order: one is no
// version, or they are versions of different things. Versions of one thing have the same text before the number, except
// for hashes, and the same words behind it, except for the words that name a stage, such as rc.
func Compare(a, b string) (order int, ok bool) {
	v, w := parse(a), parse(b)
	if !v.isRelease() || !w.isRelease() {
		return 0, false
	}
	if v.times != nil && name(v.prefix) == name(w.prefix) {
		v.prefix = w.prefix // builds of two branches
	}
	return v.compare(w)
}

// CompareBumps is Compare for texts that a program writes: their number may be of any kind.
func CompareBumps(a, b string) (order int, ok bool) { return parse(a).compare(parse(b)) }

// IsBelow reports whether a is an older version than b, whatever the words behind the numbers are.
func IsBelow(a, b string) bool {
	v, w := parse(a), parse(b)
	v.words, w.words, v.hashed, w.hashed = "", "", false, false
	order, ok := v.compare(w)
	return ok && order < 0
}

// maxMajor is the length of the longest number that is a semantic version by itself.
const maxMajor = 5

// version is a text that ends in a version.
type version struct {
	// prefix is the text before the number, with # for each hash.
	prefix string
	// semantic is a semantic version as package semver writes it, "" if there is none.
	semantic string
	// words are the words behind the numbers that name no stage.
	words string
	// hashed means that a hash is behind the numbers.
	hashed bool
	// digits is a version that is one number, else "".
	digits string
	// times are the numbers of a date and of a time or number behind it, and separators the text between them.
	times      []string
	separators string
}

// parse reads the longest version at the end of a text, without its digest. The zero version has no order.
func parse(text string) version {
	if name, digest, found := cutLast(text, "@"); found && strings.Contains(digest, ":") {
		text = name
	}
	for i := range text {
		if !mayBegin(text, i) {
			continue
		}
		if v, ok := parseNumbers(text[i:]); ok {
			v.prefix = maskHashes(text[:i])
			return v
		}
	}
	return version{}
}

// mayBegin reports whether a version may begin at an index: behind punctuation, but a dot between two numbers.
func mayBegin(text string, i int) bool {
	switch {
	case i == 0:
		return true
	case text[i-1] == '.':
		return i > 1 && !strings.ContainsRune("0123456789", rune(text[i-2]))
	}
	return strings.ContainsRune("-_:/@+", rune(text[i-1]))
}

// name returns the name of the image or repository before a version, with its separator.
func name(prefix string) string { return prefix[:strings.LastIndexAny(prefix, ":@")+1] }

func cutLast(text, separator string) (before, after string, found bool) {
	at := strings.LastIndex(text, separator)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(separator):], true
}

// maskHashes returns the text before a number with # in place of each hash.
func maskHashes(text string) string {
	var b strings.Builder
	from := 0
	for i := range len(text) + 1 {
		if i < len(text) && !strings.ContainsRune("-_.:/@+", rune(text[i])) {
			continue
		}
		if isHash(text[from:i]) {
			b.WriteByte('#')
		} else {
			b.WriteString(text[from:i])
		}
		b.WriteString(text[i:min(i+1, len(text))])
		from = i + 1
	}
	return b.String()
}

// isHash reports whether a word is a hash of git's, perhaps with the g or h that git describe and chartpress put before
// it, or a digest.
func isHash(word string) bool {
	const least, most = 7, 64
	if word != "" && strings.ContainsRune("gh", rune(word[0])) {
		word = word[1:]
	}
	return len(word) >= least && len(word) <= most && strings.Trim(word, "0123456789abcdef") == ""
}

// parseNumbers reads a text that is a version from its beginning to its end.
func parseNumbers(text string) (version, bool) {
	if v, ok := parseTimes(text); ok {
		return v, true
	}
	core := strings.TrimPrefix(text, "v")
	end := len(core) - len(strings.TrimLeft(core, ".0123456789"))
	core, rest := core[:end], core[end:]
	numbers := strings.Split(core, ".")
	if slices.Contains(numbers, "") || len(numbers) > 3 || rest != "" && (len(numbers) < 3 || !strings.ContainsRune("-_+", rune(rest[0]))) {
		return version{}, false
	}
	v := version{}
	if core == text && len(numbers) == 1 {
		v.digits = core
	}
	for i, n := range numbers {
		numbers[i] = withoutZeros(n)
	}
	rest, _, _ = strings.Cut(rest, "+")
	v.semantic = "v" + strings.Join(numbers, ".")
	if len(rest) > 1 {
		v.semantic += v.parseSuffix(rest[1:])
	}
	return v, semver.IsValid(v.semantic)
}

// parseSuffix returns the suffix of a semantic version for package semver. The hashes in it have no order, and words
// are apart from the numbers behind them, so that rc10 is newer than rc9, and chartpress' n1000 than n999.
func (v *version) parseSuffix(suffix string) (prerelease string) {
	var identifiers, words []string
	parts := strings.FieldsFunc(suffix, func(r rune) bool { return strings.ContainsRune("-_.", r) })
	for i, part := range parts {
		digits := strings.Trim(part, "0123456789") == ""
		if isHash(part) && (!digits || i+1 < len(parts) && len(part) < 10) {
			v.hashed = true
			continue
		}
		word := strings.TrimRight(part, "0123456789")
		number := part[len(word):]
		if word != "" {
			identifiers = append(identifiers, word)
			if !slices.Contains(stages(), strings.ToLower(word)) {
				words = append(words, word)
			}
		}
		if number != "" {
			identifiers = append(identifiers, withoutZeros(number))
		}
	}
	if v.words = strings.Join(words, "-"); len(identifiers) == 0 {
		return ""
	}
	return "-" + strings.Join(identifiers, ".")
}

// stages lists the words for the stages before a release. They are in the order of the alphabet, which is theirs.
func stages() []string {
	return []string{"a", "alpha", "b", "beta", "dev", "git", "m", "n", "pre", "preview", "rc", "snapshot"}
}

func withoutZeros(number string) string { return cmp.Or(strings.TrimLeft(number, "0"), "0") }

// parseTimes reads a date with a time or a number behind it: 20240131, 20240131-1030, 20240131T103000Z, 2024-01-31,
// 2024.01.31-2.
func parseTimes(text string) (v version, ok bool) {
	rest := strings.TrimSuffix(text, "Z")
	for rest != "" {
		end := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if end == 0 {
			return v, false
		}
		v.times = append(v.times, rest[:end])
		if rest = rest[end:]; rest != "" {
			if len(rest) == 1 || !strings.ContainsRune("-._T", rune(rest[0])) {
				return v, false
			}
			v.separators += rest[:1]
			rest = rest[1:]
		}
	}
	switch first := v.times; {
	case len(first) == 0:
		return v, false
	case slices.Contains([]int{8, 12, 14}, len(first[0])):
		return v, isDate(first[0][:4], first[0][4:6], first[0][6:8])
	case len(first) == 3 && v.separators == "..":
		return v, false // a semantic version, too
	}
	return v, len(v.times) >= 3 && v.separators[0] == v.separators[1] && isDate(v.times[0], v.times[1], v.times[2])
}

func isDate(year, month, day string) bool {
	isIn := func(text, low, high string) bool {
		return len(text) <= len(high) && compareNumbers(text, low) >= 0 && compareNumbers(text, high) <= 0
	}
	return isIn(year, "1990", "2099") && isIn(month, "1", "12") && isIn(day, "1", "31")
}

// isRelease reports whether a text has a version that people write too: a semantic version, which may lack its last
// numbers, a calendar version or a timestamp. A number behind other text is none, unless the text is the name of an
// image or a repository.
func (v version) isRelease() bool {
	named := v.prefix == "" || strings.HasSuffix(v.prefix, ":") || strings.HasSuffix(v.prefix, "@")
	switch {
	case v.times != nil:
		return true
	case v.digits != "":
		seconds := strings.HasPrefix(v.digits, "1") && (len(v.digits) == 10 || len(v.digits) == 13)
		return seconds || named && !v.isCount()
	}
	return v.semantic != "" && (named || strings.Contains(v.semantic, "."))
}

func (v version) compare(w version) (order int, ok bool) {
	switch {
	case v.prefix != w.prefix || v.words != w.words || v.isCount() != w.isCount():
		return 0, false
	case v.times != nil && w.times != nil:
		return slices.CompareFunc(v.times, w.times, compareNumbers), len(v.times[0]) == len(w.times[0]) && commonPrefix(v.separators, w.separators)
	case v.semantic == "" || w.semantic == "" || v.times != nil || w.times != nil:
		return 0, false
	}
	order = semver.Compare(v.semantic, w.semantic)
	sameCore := semver.Compare(withoutPrerelease(v.semantic), withoutPrerelease(w.semantic)) == 0
	return order, order == 0 || !sameCore || v.hashed == w.hashed
}

// isCount reports whether a version is a large number, such as that of a build, or seconds.
func (v version) isCount() bool { return len(v.digits) > maxMajor }

func withoutPrerelease(v string) string { return strings.TrimSuffix(v, semver.Prerelease(v)) }

func commonPrefix(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// compareNumbers compares numbers of any size.
func compareNumbers(a, b string) int {
	a, b = withoutZeros(a), withoutZeros(b)
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// IsPreview reports whether a version comes before a release, such as a release candidate. A word that names no stage,
// such as alpine, is part of a release.
func IsPreview(text string) bool {
	v := parse(text)
	suffix := strings.FieldsFunc(semver.Prerelease(v.semantic), func(r rune) bool { return strings.ContainsRune("-.", r) })
	return len(suffix) > 0 && v.words == "" || slices.ContainsFunc(suffix, func(word string) bool {
		return slices.Contains(stages(), strings.ToLower(word))
	})
}

// Newer returns the versions that are newer than one, oldest first, each once. It leaves out texts that have no order
// with it.
func Newer(than string, all []string) []string {
	return slices.DeleteFunc(Sorted(all), func(text string) bool {
		order, ok := Compare(text, than)
		return !ok || order <= 0
	})
}

// Sorted returns the versions among some texts, oldest first, each once.
func Sorted(all []string) (versions []string) {
	for _, text := range all {
		if _, ok := Compare(text, text); ok {
			versions = append(versions, text)
		}
	}
	slices.SortFunc(versions, func(a, b string) int {
		order, _ := Compare(a, b)
		return cmp.Or(order, strings.Compare(a, b))
	})
	return slices.Compact(versions)
}

// Around returns the three of some sorted versions that are nearest to a version in their order, or all if there are no more.
func Around(name string, sorted []string) []string {
	at := slices.IndexFunc(sorted, func(v string) bool {
		order, ok := Compare(v, name)
		return ok && order > 0
	})
	if at < 0 {
		at = len(sorted)
	}
	from := max(0, min(at-2, len(sorted)-3))
	return sorted[from:min(len(sorted), from+3)]
}

// Unknown is the error for a version that does not exist. It names the nearest versions that do.
type Unknown struct {
	err     error
	nearest []string
}

func (u *Unknown) Error() string {
	return u.err.Error() + "; the nearest versions are " + strings.Join(u.nearest, ", ")
}

func (u *Unknown) Unwrap() error { return u.err }

// Explain adds the nearest of all versions to the error for an unknown one, unless it names them already, or a version has this name.
func Explain(err error, name string, all []string) error {
	nearest := Around(name, Sorted(all))
	if unknown := (*Unknown)(nil); err == nil || len(nearest) == 0 || slices.Contains(all, name) || errors.As(err, &unknown) {
		return err
	}
	return &Unknown{err, nearest}
}

// Latest returns the newest release among versions that Newer sorted, "" if there is none.
func Latest(sorted []string) string {
	for _, text := range slices.Backward(sorted) {
		if !IsPreview(text) {
			return text
		}
	}
	return ""
}
