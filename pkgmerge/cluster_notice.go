package pkgmerge

// notices are what there is to say of all live objects.
func (c *cluster) notices() []Notice {
	if !c.unmanaged.Load() {
		return nil
	}
	return []Notice{{Warning: true, Text: "live objects have no managedFields: only what was applied is compared, and nothing that somebody added is taken; " +
		"kubectl get shows managedFields with --show-managed-fields"}}
}
