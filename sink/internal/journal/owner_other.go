//go:build !unix

package journal

import "os"

// sameOwner leaves the owner of a new file to the system, such as Windows.
func sameOwner(disk, string, os.FileInfo) {}
