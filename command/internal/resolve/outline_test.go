package resolve

import "testing"

// TestCommentsBetweenMarkers: comments between markers belong to the field below them in their document, and else to the one above.
func TestCommentsBetweenMarkers(t *testing.T) {
	const role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: a\nrules:\n"
	const after = "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n"
	for _, test := range []struct{ name, text, want string }{
		{"between the elements of a list", role + "- apiGroups: [x]\n<<<<<<< ours\n# one\n=======\n>>>>>>> theirs\n- apiGroups: [y]\n" + after, "Role a rules"},
		{"at the end of a document", role + "- apiGroups: [x]\n<<<<<<< ours\n# one\n=======\n>>>>>>> theirs\n" + after, "Role a rules"},
		{"above a field", role + "- apiGroups: [x]\n<<<<<<< ours\n# one\n=======\n>>>>>>> theirs\n# all\nother: x\n" + after, "Role a other"},
		{"above a document", role + "- apiGroups: [x]\n---\n<<<<<<< ours\n# one\n=======\n>>>>>>> theirs\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n", "ConfigMap b apiVersion"},
	} {
		f := newFile("a.yaml", []byte(test.text))
		f.locate(nil, false)
		if got := f.conflicts[0].title(); got != test.want {
			t.Errorf("%s: it is about %q, want %q", test.name, got, test.want)
		}
	}
}
