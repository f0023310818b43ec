package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// needContainers skips a test where buildah and podman are missing, or may not
// do what they have to.
func needContainers(t *testing.T) {
	t.Helper()
	for _, program := range []string{"buildah", "podman", "runc", "busybox"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no image: %s is not installed (apt-get install buildah podman runc busybox-static)", program)
		}
	}
	if os.Geteuid() != 0 {
		t.Skip("no image: only root can make containers without a set up of user namespaces")
	}
}

// useOwnStorage makes buildah and podman keep images and containers in a
// directory of the test, and run them on machines that are containers
// themselves: without overlays, without systemd, and with limits that are not
// above the machine's own.
func useOwnStorage(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	setConfig(t, "CONTAINERS_STORAGE_CONF", filepath.Join(dir, "storage.conf"), fmt.Sprintf(`[storage]
driver = "vfs"
graphroot = %q
runroot = %q
`, filepath.Join(dir, "graph"), filepath.Join(dir, "run")))
	setConfig(t, "CONTAINERS_CONF", filepath.Join(dir, "containers.conf"), fmt.Sprintf(`[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = %q
`, filepath.Join(dir, "tmp")))
	t.Setenv("BUILDAH_ISOLATION", "chroot")
	t.Setenv("TMPDIR", dir)
}

// setConfig writes a configuration, and points a variable to it.
func setConfig(t *testing.T, variable, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, file)
}
