# What the failed tests of `go test -v` printed, each once.
/^=== (RUN|NAME|CONT|PAUSE) / { test = $3; next }
/^ *--- FAIL: / { name[++count] = $3 }
/^ *--- / { next }
/^(FAIL|PASS|ok|panic:) / { test = "" }
test != "" { said[test] = said[test] $0 "\n" }
END {
  for (i = 1; i <= count; i++)
    printf "== failed: %s\n%s", name[i], said[name[i]]
}
