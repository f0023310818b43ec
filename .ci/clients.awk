# Reads what `go test -v` wrote in e2e, and lists which client ran which command
# how often, and in which tests. -v versions="kpt=v1 podman=v2" are the clients'
# versions.

BEGIN {
  split(versions, pairs, " ")
  for (i in pairs) {
    split(pairs[i], pair, "=")
    version[pair[1]] = " " pair[2]
  }
}

/^=== RUN/ { test = $3; sub("/.*", "", test) }

/^--- FAIL:/ { failed[$3] = 1 }

# A line as client_test.go's run logs it: "    eval_test.go:12: kpt fn eval . ..."
/^ +[a-z_]+_test\.go:[0-9]+: (kpt|kustomize|buildah|podman|resource-merge)( |$)/ && !/: exit status/ {
  command = kind()
  runs[command]++
  if (!((command, test) in seen)) {
    seen[command, test] = 1
    tests[command] = tests[command] " " test
  }
}

END {
  for (command in runs)
    printf "%-52s %3d x %s\n", command, runs[command], marked(tests[command]) | "sort"
}

# kind is a command without its operands: the client, its version, at most two
# words, and the flags that say how the function is run.
function kind(    text, i) {
  text = $2 version[$2]
  for (i = 3; i <= 4 && $i ~ /^[a-z]+$/; i++)
    text = text " " $i
  for (i = 3; i <= NF && $i != "--"; i++)
    if ($i ~ /^--(exec|image|allow-exec|enable-exec)$/)
      text = text " " $i
  return text
}

# marked is the names of tests, with a mark on those that failed.
function marked(names,    list, n, i, text) {
  n = split(names, list, " ")
  for (i = 1; i <= n; i++)
    text = text " " list[i] (list[i] in failed ? "(FAILED)" : "")
  return text
}
