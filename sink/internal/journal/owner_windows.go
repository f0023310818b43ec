package journal

import "os"

// sameOwner leaves the owner of a new file to Windows.
func sameOwner(disk, string, os.FileInfo) {}
