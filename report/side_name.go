package report

// sideNames are what the three versions are called.
func sideNames(applies bool) [3]string {
	if applies {
		return [3]string{"last-applied", "config", "live"}
	}
	return [3]string{"origin", "upstream", "local"}
}
