# Prints the items of a ResourceList as documents, without the annotations that
# say where an added item is from. Only the top-level `metadata` has such: a
# ConfigMap may hold text that looks the same.

function indentation(line) { match(line, /[^ ]/); return RSTART }

/^results:/ { exit }
/^items:/ { items = 1; next }
!items { next }

{ bookkeeping = /^ +internal\.config\.kubernetes\.io\/(path|index|seqindent): / }

# `annotations:` is held back, and goes if nothing else was below it.
held != "" && bookkeeping { emptied = 1; next }
held != "" {
  if (!emptied || indentation($0) > indentation(held)) print substr(held, 3)
  held = ""
}

/^- / && documents++ { print "---" }
/^(- |  )[^ #]/ { metadata = /^..metadata:/ }
metadata && bookkeeping { next }
metadata && /^ +annotations:$/ { held = $0; emptied = 0; next }

# The same in one line: {name: a, annotations: {b: c}}
metadata && gsub(/internal\.config\.kubernetes\.io\/(path|index|seqindent): ('([^']|'')*'|"[^"]*")(, )?/, "") {
  gsub(/, \}/, "}")
  sub(/(, )?annotations: \{\}/, "")
}
{ print substr($0, 3) }

END { if (held != "" && !emptied) print substr(held, 3) }
