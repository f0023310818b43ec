package marker

import (
	"strings"
	"testing"
)

// TestRead reads markers with labels, a base, CRLF and other lengths; what only looks like a marker is
// text.
func TestRead(t *testing.T) {
	const text = "a\n=======\n<<<<<<< HEAD\r\n1\n||||||| 3f2a9c1\n<<<<<<<<< inner\n0\n=========\n>>>>>>>>> inner\n=======\n2\n=======\n>>>>>>> 3f2a9c1 (a commit)\n" +
		"<<<<<<< lost\nb\n<<<<<<<<<\nx\n=========\n>>>>>>>\n>>>>>>>>>\nc\n<<<<<<< open\n=======\n"
	conflicts, broken := Read([]byte(text), 0)
	if len(conflicts) != 1 || broken != 14 {
		t.Fatalf("%d conflicts, the first without an end in line %d", len(conflicts), broken)
	}
	c := conflicts[0]
	if c.Line != 3 || !c.ShowsBase || c.Labels != [3]string{"HEAD", "3f2a9c1", "3f2a9c1 (a commit)"} || text[c.Start:c.Start+7] != "<<<<<<<" || !strings.HasPrefix(text[c.End:], "<<<<<<< lost") {
		t.Errorf("%+v", c)
	}
	if string(c.Sides[Ours]) != "1\n" || string(c.Sides[Theirs]) != "2\n=======\n" || !strings.HasPrefix(string(c.Sides[Base]), "<<<<<<<<< inner\n0\n") {
		t.Errorf("%q", c.Sides)
	}
	if conflicts, _ := Read([]byte(text), 9); len(conflicts) != 2 || conflicts[1].Line != 16 || string(conflicts[1].Sides[Theirs]) != ">>>>>>>\n" {
		t.Errorf("of length 9: %+v", conflicts)
	}
	if whole := (Format{}).Parse([]byte(text)); len(whole) != 3 || !strings.HasPrefix(string(whole[2].Same), "<<<<<<< lost\nb\n") {
		t.Errorf("%d pieces", len(whole))
	}
}

// TestReadBroken reads markers that lack one of their lines.
func TestReadBroken(t *testing.T) {
	for text, want := range map[string]int{
		"a\n<<<<<<< l\n1\n=======\n2\n>>>>>>> u\n":                             0,
		"a\n=======\nb\n":                                                      0,
		"a\n1\n=======\n2\n>>>>>>> u\n":                                        5,
		"a\n1\n||||||| o\n0\n=======\n2\n":                                     3,
		"a\n<<<<<<< l\n1\n2\n>>>>>>> u\n":                                      2,
		"a\n<<<<<<< l\n1\n=======\n2\n":                                        2,
		"<<<<<<< l\n1\n=======\n2\n<<<<<<< l\n1\n=======\n2\n>>>>>>> u\n":      1,
		"<<<<<<< l\n1\n=======\n2\n>>>>>>> u\nb\n=======\n2\n>>>>>>> u\n":      9,
		"a\n>>>>>>>> eight\n":                                                  0,
		"<<<<<<<< l\n1\n========\n2\n>>>>>>>> u\n<<<<<<<< l\n1\n========\n2\n": 6,
	} {
		if _, broken := Read([]byte(text), 0); broken != want {
			t.Errorf("%q: line %d, want %d", text, broken, want)
		}
	}
}
