package merge

import (
	"math/big"
	"strconv"
	"strings"
)

// maxAmount is the longest quantity that is read, in bytes; one that is longer
// is text.
const maxAmount = 64

// asAmount is a scalar that the schema calls a quantity as it is compared, by the
// amount (design 3): 1000m is 1 is "1", 0.5 is 500m, 1Ki is 1024. What is no
// quantity stays what it is.
func asAmount(v value) value {
	switch v.kind {
	case intValue, floatValue, stringValue:
		if text, ok := amount(v.text); ok {
			return value{kind: amountValue, text: text}
		}
	}
	return v
}

// amount reads a quantity as Kubernetes writes them: a decimal number with a
// suffix n u m k M G T P E, Ki to Ei, or a decimal exponent. What it returns is
// alike for equal amounts: the digits from the first to the last that is not
// 0, and their exponent of ten. It is never written out, whatever the exponent.
func amount(text string) (string, bool) {
	if len(text) > maxAmount {
		return "", false
	}
	sign, rest := "", text
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	end := 0
	for end < len(rest) && (rest[end] == '.' || '0' <= rest[end] && rest[end] <= '9') {
		end++
	}
	whole, fraction, _ := strings.Cut(rest[:end], ".")
	digits := whole + fraction
	ten, two, ok := scale(rest[end:])
	if !ok || digits == "" || strings.Contains(fraction, ".") {
		return "", false
	}
	if two > 0 {
		n, _ := new(big.Int).SetString(digits, 10)
		digits = n.Lsh(n, two).String()
	}
	ten -= len(fraction)
	digits = strings.TrimLeft(digits, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0", true
	}
	return sign + significant + "e" + strconv.Itoa(ten+len(digits)-len(significant)), true
}

// scale is a suffix as a power of ten and one of two, and whether it is one.
func scale(suffix string) (ten int, two uint, ok bool) {
	if suffix == "" {
		return 0, 0, true
	}
	if letter, binary := strings.CutSuffix(suffix, "i"); binary {
		at := strings.Index("KMGTPE", letter)
		return 0, 10 * uint(at+1), len(letter) == 1 && at >= 0
	}
	if len(suffix) == 1 {
		at := strings.Index("num kMGTPE", suffix)
		return 3 * (at - 3), 0, at >= 0 && suffix != " "
	}
	if suffix[0] != 'e' && suffix[0] != 'E' {
		return 0, 0, false
	}
	exponent, err := strconv.ParseInt(suffix[1:], 10, 32)
	return int(exponent), 0, err == nil
}
