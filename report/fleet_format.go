package report

import "io"

// FleetFormat writes reports over many packages in one form.
type FleetFormat struct {
	Name  string
	Write func(io.Writer, *Fleet) error
}

// FleetFormats are the formats of reports over many packages (design 20).
func FleetFormats() []FleetFormat {
	return []FleetFormat{{"text", fleetText}, {"markdown", fleetMarkdown}, {"json", fleetJSON}}
}
