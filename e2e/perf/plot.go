package main

import (
	"bytes"
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// writePlot draws time over the number of resources, both logarithmic, for the
// first load.
func writePlot(file string, r result) error {
	p := plot.New()
	p.Title.Text = "1 % changed upstream and 5 % locally"
	p.Title.Padding = vg.Points(8)
	p.BackgroundColor = color.White
	p.X.Label.Text, p.Y.Label.Text = "resources a side", "time"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = decades(labelCount, 1, 5), decades(labelTime, 1)
	style(p)
	p.Add(grid())
	for i, name := range names() {
		if err := addLine(p, name, i, r.loads[0].points[name]); err != nil {
			return err
		}
	}
	widen(p)
	return save(p, file)
}

// save writes the plot with a margin.
func save(p *plot.Plot, file string) error {
	const width, height, margin = 16 * vg.Centimeter, 11 * vg.Centimeter, 8
	canvas, err := draw.NewFormattedCanvas(width, height, "svg")
	if err != nil {
		return err
	}
	whole := draw.New(canvas)
	whole.FillPolygon(color.White, []vg.Point{{}, {X: width}, {X: width, Y: height}, {Y: height}})
	p.Draw(draw.Crop(whole, margin, -2*margin, margin, -margin))
	var svg bytes.Buffer
	if _, err := canvas.WriteTo(&svg); err != nil {
		return err
	}
	text := bytes.ReplaceAll(svg.Bytes(), []byte("Liberation Sans"), []byte("Liberation Sans,Arial,sans-serif"))
	return os.WriteFile(file, text, 0o644)
}

// style makes all text sans serif: Arial has the same widths as Liberation Sans,
// so the text fits where the browser has either.
func style(p *plot.Plot) {
	for _, text := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.Legend.TextStyle,
		&p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Label.TextStyle, &p.Y.Tick.Label,
	} {
		text.Font.Variant = "Sans"
	}
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(8), vg.Points(-6)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font.Size = vg.Points(11)
		axis.Label.Padding = vg.Points(6)
		axis.Tick.Label.Font.Size = vg.Points(10)
		axis.Padding = 0
	}
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{Y: 225}, color.Gray{Y: 225}
	return g
}

// addLine adds the line and the marks of a contender.
func addLine(p *plot.Plot, name string, i int, points []point) error {
	if len(points) == 0 {
		return nil
	}
	var xys plotter.XYs
	for _, point := range points {
		xys = append(xys, plotter.XY{X: float64(point.n), Y: point.Seconds})
	}
	line, marks, err := plotter.NewLinePoints(xys)
	if err != nil {
		return err
	}
	line.Color, marks.Color, marks.Shape = hue(i), hue(i), shape(i)
	line.Width, marks.Radius = vg.Points(1.8), vg.Points(3.5)
	p.Add(line, marks)
	p.Legend.Add(legend(name), line, marks)
	return nil
}

// legend is a contender's name with an explanation for the reader of the plot.
func legend(name string) string {
	switch name {
	case nameFloor:
		return "floor: kyaml reads and writes the list"
	case nameMerge3:
		return "kyaml's Merge3"
	}
	return name
}

// hue is a colour that can be told from the others by everybody.
func hue(i int) color.Color {
	return [4]color.Color{
		color.RGBA{R: 0xCC, G: 0x79, B: 0xA7, A: 0xFF},
		color.RGBA{R: 0xD5, G: 0x5E, A: 0xFF},
		color.RGBA{R: 0x66, G: 0x66, B: 0x66, A: 0xFF},
		color.RGBA{G: 0x72, B: 0xB2, A: 0xFF},
	}[i]
}

func shape(i int) draw.GlyphDrawer {
	return [4]draw.GlyphDrawer{draw.PyramidGlyph{}, draw.SquareGlyph{}, draw.BoxGlyph{}, draw.CircleGlyph{}}[i]
}
