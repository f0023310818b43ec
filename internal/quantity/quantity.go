// Package quantity compares the quantities of Kubernetes, such as 500m and 1Gi, by their amounts.
package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

// maxAmount is the length of the longest quantity; a longer text is not one.
const maxAmount = 64

// Canonical returns a text that two quantities of Kubernetes share if they are one amount; ok is false for a text that is
// no quantity. A quantity is a decimal number with a suffix n u m k M G T P E, Ki to Ei, or a decimal exponent. The
// canonical text has the digits between the outermost zeros and their exponent of ten, so that a large exponent is
// never written out.
func Canonical(text string) (canonical string, ok bool) {
	if len(text) > maxAmount {
		return "", false
	}
	sign, rest := "", text
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	suffix := strings.TrimLeft(rest, ".0123456789")
	whole, fraction, _ := strings.Cut(strings.TrimSuffix(rest, suffix), ".")
	digits := whole + fraction
	ten, two, ok := scale(suffix)
	if !ok || digits == "" || strings.Contains(fraction, ".") {
		return "", false
	}
	if two > 0 {
		n, _ := new(big.Int).SetString(digits, 10)
		digits = n.Lsh(n, two).String()
	}
	digits = strings.TrimLeft(digits, "0")
	significant := strings.TrimRight(digits, "0")
	if significant == "" {
		return "0", true
	}
	return sign + significant + "e" + strconv.Itoa(ten-len(fraction)+len(digits)-len(significant)), true
}

// scale returns the powers of ten and of two that the suffix of a quantity stands for.
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
