package pkgmerge

// mergeFiles merges the files that do not merge by structure.
func (m *merger) mergeFiles(result *Result) error {
	for _, c := range m.packages[2].contents {
		if _, isText := m.findText(c.Name); isText || !c.isStructured() {
			result.files = append(result.files, *c.File)
		}
	}
	return nil
}
