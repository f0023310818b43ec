package main

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
)

// decades ticks a logarithmic axis at the powers of ten and at twice to nine
// times those. Some of these times have labels.
func decades(label func(float64) string, labelled ...float64) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		var ticks []plot.Tick
		for power := decade(low); power <= high; power *= 10 {
			for times := 1.0; times < 10; times++ {
				if value := times * power; value >= low*0.999 && value <= high*1.001 {
					ticks = append(ticks, tick(value, slices.Contains(labelled, times), label))
				}
			}
		}
		return ticks
	}
}

func tick(value float64, hasLabel bool, label func(float64) string) plot.Tick {
	if hasLabel {
		return plot.Tick{Value: value, Label: label(value)}
	}
	return plot.Tick{Value: value}
}

// decade is the power of ten at or below a value.
func decade(value float64) float64 { return math.Pow(10, math.Floor(math.Log10(value)+1e-9)) }

func labelCount(value float64) string { return thousands(int(math.Round(value))) }

// labelTime is a power of ten of a second, without needless digits.
func labelTime(seconds float64) string {
	switch {
	case seconds < 0.000999:
		return labelCount(seconds*1e6) + " µs"
	case seconds < 0.999:
		return labelCount(seconds*1e3) + " ms"
	}
	return labelCount(seconds) + " s"
}

// widen lets the axes begin and end a little beyond the points, and the time at
// powers of ten, which leaves room for the legend.
func widen(p *plot.Plot) {
	p.X.Min, p.X.Max = p.X.Min/1.25, p.X.Max*1.25
	p.Y.Min, p.Y.Max = decade(p.Y.Min), 10*decade(p.Y.Max)
}
