package ddlload

import (
	"image/color"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

var (
	withoutColor = color.RGBA{R: 0xc0, G: 0x39, B: 0x2b, A: 0xff}
	withColor    = color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
	limitColor   = color.RGBA{R: 0x55, G: 0x55, B: 0x55, A: 0xff}
)

// line is one in a plot.
type line struct {
	name   string
	points plotter.XYs
	color  color.Color
	dashed bool
}

func (l line) addTo(p *plot.Plot) error {
	drawn, err := plotter.NewLine(l.points)
	if err != nil {
		return err
	}
	drawn.Color, drawn.Width = l.color, vg.Points(1.5)
	if l.dashed {
		drawn.Width, drawn.Dashes = vg.Points(1), []vg.Length{vg.Points(4), vg.Points(3)}
	}
	p.Add(drawn)
	if l.name != "" {
		p.Legend.Add(l.name, drawn)
	}
	return nil
}

// draw writes a plot over the time since the change began. What it shows begins at zero.
func draw(title, y, file string, lines []line) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "seconds since the change began", y
	p.Add(plotter.NewGrid())
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = vg.Points(6), vg.Points(-4), vg.Points(3)
	for _, l := range lines {
		if len(l.points) == 0 {
			continue // a plotter takes that for an error
		}
		if err := l.addTo(p); err != nil {
			return err
		}
	}
	p.Y.Min, p.Y.Max = 0, max(1, p.Y.Max*1.25) // room for the legend
	return p.Save(8*vg.Inch, 3.5*vg.Inch, file)
}

// plot draws answers per second with Weir and without; a dashed line shows where the change ended.
func (o outcome) plot(server, file string) error {
	var lines []line
	for _, x := range []struct {
		name  string
		trace trace
		color color.Color
	}{{"without Weir", o.without, withoutColor}, {"with Weir", o.with, withColor}} {
		l := line{name: x.name + ": it takes " + short(x.trace.took()), color: x.color, points: x.trace.points()}
		lines = append(lines, l, line{points: upright(x.trace.took(), l.points), color: x.color, dashed: true})
	}
	return draw(o.name+" on "+server, "answers per second", file, lines)
}

// points are the answers per second, in the middle of each.
func (t trace) points() (points plotter.XYs) {
	for _, s := range t.seconds() {
		points = append(points, plotter.XY{X: (s.from + t.bin/2).Seconds(), Y: float64(s.answered) / t.bin.Seconds()})
	}
	return points
}

// upright is a line at a moment, as high as the points are.
func upright(at time.Duration, points plotter.XYs) plotter.XYs {
	high := 0.0
	for _, p := range points {
		high = max(high, p.Y)
	}
	return plotter.XYs{{X: at.Seconds(), Y: 0}, {X: at.Seconds(), Y: high}}
}

// plot draws the reads at the server and the limit.
func (h herd) plot(server, file string) error {
	reads := line{name: "reads of the table at the server", color: withColor}
	limit := line{name: "limit", color: limitColor, dashed: true}
	for _, x := range h.readings {
		at := x.at.Seconds()
		reads.points = append(reads.points, plotter.XY{X: at, Y: float64(x.reads)})
		if x.limit > 0 {
			limit.points = append(limit.points, plotter.XY{X: at, Y: float64(x.limit)})
		}
	}
	return draw("A column for a table that all ask for, on "+server, "reads", file, []line{reads, limit, {points: upright(h.took(), reads.points), color: withColor, dashed: true}})
}
