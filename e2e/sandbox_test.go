package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// allowedFiles matches the files that Go's runtime reads before and while it runs any
// program on Linux: the sizes of memory pages, the limits of its control group, the
// time zone and the program itself.
func allowedFiles() *regexp.Regexp {
	return regexp.MustCompile(`^(/proc/self/(exe|maps|cgroup|mountinfo|auxv)|/sys/kernel/mm/.*|/sys/fs/cgroup(/.*)?|/sys/devices/system/cpu/.*|/etc/localtime)$`)
}

// TestSandbox runs the function under strace, and looks at every system call
// that has to do with the network, with programs or with files: it opens no
// socket, starts nothing, and opens for reading the files it was told to, and nothing
// for writing (SECURITY.md).
func TestSandbox(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed")
	}
	input := quickstartInput(t)
	pkg := filepath.Join("..", "testdata", "quickstart", "package")
	dirs := filepath.Join(t.TempDir(), "dirs.yaml")
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: " +
		"{apiVersion: fn.kpt.dev/v1alpha1, kind: ResourceMerge, sources: {origin: {dir: " + filepath.Join(pkg, "origin") + "}, upstream: {dir: " + filepath.Join(pkg, "upstream") + "}}}\n" +
		"items:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n"
	if err := os.WriteFile(dirs, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		file, stdin string
		mayRead     []string
		fails       bool
	}{
		"stdin":          {stdin: input},
		"file":           {file: quickstartFile, mayRead: []string{quickstartFile}},
		"directories":    {file: dirs, mayRead: []string{dirs, pkg}},
		"no list":        {stdin: "{", fails: true},
		"no such file":   {file: "no/such", mayRead: []string{"no/such"}, fails: true},
		"paths in items": {stdin: strings.ReplaceAll(input, "wordpress.yaml", "etc/passwd"), fails: false},
	} {
		t.Run(name, func(t *testing.T) {
			calls := traced(t, test.stdin, test.file, test.fails)
			checkCalls(t, calls, test.mayRead)
		})
	}
}

const quickstartFile = "../testdata/quickstart/input.yaml"

func quickstartInput(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(quickstartFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// traced runs resource-merge under strace, and returns its system calls.
func traced(t *testing.T, stdin, file string, fails bool) []string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	args := []string{"-f", "-qq", "-e", "signal=none", "-e", "trace=network,process,file,open_by_handle_at,io_uring_setup,ptrace,memfd_create", "-o", log, find("resource-merge")}
	if file != "" {
		args = append(args, file)
	}
	out := run(t, ".", stdin, "strace", args...)
	if strings.Contains(out.stderr, "Operation not permitted") {
		t.Skip("strace may not trace here")
	}
	if (out.err != nil) != fails || !strings.Contains(out.stdout, "kind: ResourceList") {
		t.Fatalf("%v\n%s", out.err, out.stderr)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// checkCalls checks each system call. Those that only make, end and wait for
// threads are Go's own.
func checkCalls(t *testing.T, calls []string, mayRead []string) {
	t.Helper()
	call := regexp.MustCompile(`^\d+ +([a-z_0-9]+)\((.*)$`)
	name := regexp.MustCompile(`"([^"]*)"`)
	thread := regexp.MustCompile(`CLONE_VM\|.*CLONE_THREAD`)
	killed := regexp.MustCompile(`^\d+ +\?\?\?\( <unfinished \.\.\.>$`)
	if len(calls) < 3 {
		t.Fatalf("strace saw only %q", calls)
	}
	for n, line := range calls {
		parts := call.FindStringSubmatch(line)
		switch {
		case parts == nil && (strings.Contains(line, "resumed>") || strings.Contains(line, "+++")):
		case killed.MatchString(line): // the process ended before strace could ask a thread what it called
		case parts == nil:
			t.Errorf("a line that is not known: %s", line)
		case n == 0 && parts[1] == "execve": // strace starts the function
		case strings.HasPrefix(parts[1], "clone") && thread.MatchString(parts[2]):
		case parts[1] == "exit" || parts[1] == "exit_group" || parts[1] == "tgkill" || parts[1] == "rt_sigreturn":
		case isReading(parts[1], parts[2]):
			path := name.FindStringSubmatch(parts[2])
			if path == nil || !isBelowOpened(parts[2], path[1]) && !isAllowed(path[1], mayRead) && !(isLooking(parts[1]) && isAbove(path[1], mayRead)) {
				t.Errorf("it reads what it was not told to: %s", line)
			}
		default:
			t.Errorf("it does what it should not: %s", line)
		}
	}
}

// isReading holds for a call that looks at a file, or opens it for nothing but
// reading.
func isReading(call, arguments string) bool {
	if call == "open" || call == "openat" {
		return strings.Contains(arguments, "O_RDONLY") && !strings.Contains(arguments, "O_CREAT") && !strings.Contains(arguments, "O_TRUNC")
	}
	return isLooking(call)
}

// isLooking holds for a call that reads no file and no directory, only what
// there is to say about one.
func isLooking(call string) bool {
	switch call {
	case "stat", "lstat", "newfstatat", "statx", "readlink", "readlinkat", "access", "faccessat", "faccessat2", "getcwd":
		return true
	}
	return false
}

// isBelowOpened holds for a name that is looked up in a directory that is open, and stays below it: the directory was
// allowed when it was opened.
func isBelowOpened(arguments, path string) bool {
	return arguments != "" && arguments[0] >= '0' && arguments[0] <= '9' && filepath.IsLocal(path)
}

// isAllowed holds for a file of the runtime, an argument, and what is below one.
// A file that is open already has no name.
func isAllowed(path string, mayRead []string) bool {
	if path == "" || allowedFiles().MatchString(path) || path == find("resource-merge") {
		return true
	}
	for _, may := range mayRead {
		absolute, err := filepath.Abs(may)
		for _, root := range []string{may, absolute} {
			if err == nil && (path == root || strings.HasPrefix(path, root+"/")) {
				return true
			}
		}
	}
	return false
}

// isAbove holds for the directories on the way to what was given: whether one of
// them is a symbolic link is asked to find the true path.
func isAbove(path string, mayRead []string) bool {
	if path == "." {
		return true
	}
	for _, may := range mayRead {
		absolute, err := filepath.Abs(may)
		if strings.HasPrefix(may, path+"/") || err == nil && strings.HasPrefix(absolute, path+"/") {
			return true
		}
	}
	here, err := os.Getwd()
	return err == nil && path == here // to make a relative path absolute
}
