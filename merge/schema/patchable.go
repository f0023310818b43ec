package schema

// TakesStrategicPatches reports whether the API server takes strategic merge patches of a
// kind: of Kubernetes' own, and not of custom resources (design 16.1). It is kubectl's
// question too: a custom resource goes as JSON merge patch.
func (s *Schema) TakesStrategicPatches(group, version, kind string) bool {
	s.making.Lock()
	defer s.making.Unlock()
	if _, known := s.table.Lookup(group, version, kind); known {
		return true
	}
	return servedByExtension(groupKind{group, kind})
}
