package identity

// Move says that local replaced a namespace: resources that origin has in From
// are in To in local's version (design 2).
type Move struct {
	// From is the namespace by upstream's names, To is local's. Either may be "", for
	// resources that name no namespace.
	From, To string
	// Moved counts the resources of origin's that made this move, and Others those of
	// From that local has in another namespace, such as From itself. Namespace objects
	// and resources of cluster-scoped kinds do not count.
	Moved, Others int
	// Object says that local renamed the Namespace object From to To.
	Object bool
	// Inhabited says that local still has a resource in From, if only one of its own.
	Inhabited bool
}

// isMostly reports whether most of what local has of From is in To.
func (m Move) isMostly() bool { return m.Moved > m.Others }

// IsWhole reports whether local has replaced From altogether: something of it is in
// To, and nothing is anywhere else.
func (m Move) IsWhole() bool {
	return (m.Moved > 0 || m.Object) && m.Others == 0 && !m.Inhabited
}

// moves finds which namespaces local replaced, in the order of the triples.
func (m *matcher) moves(triples []Triple) []Move {
	var out []Move
	index := map[[2]string]int{}
	at := func(from, to string) *Move {
		n, found := index[[2]string{from, to}]
		if !found {
			n = len(out)
			index[[2]string{from, to}] = n
			out = append(out, Move{From: from, To: to})
		}
		return &out[n]
	}
	shared, moved := map[string]int{}, map[string]bool{}
	for _, t := range triples {
		from, to, is := m.moved(t)
		if is && isNamespace(t.ID) {
			at(from, to).Object = true
		} else if is {
			at(from, to).Moved++
			moved[t.ID.Kind] = true
		}
	}
	for _, t := range triples {
		if from, _, is := m.moved(t); !isNamespace(t.ID) && (is || m.stayed(t, moved)) {
			shared[from]++
		}
	}
	inhabited := m.inhabited()
	for n := range out {
		out[n].Others = shared[out[n].From] - out[n].Moved
		out[n].Inhabited = inhabited[out[n].From]
	}
	return out
}

// moved says from which namespace to which local moved a resource of origin's, or
// renamed a Namespace object.
func (m *matcher) moved(t Triple) (from, to string, is bool) {
	if !t.Has(Origin) || !t.Has(Local) {
		return "", "", false
	}
	o, l := m.sides[Origin][t.At[Origin]], m.sides[Local][t.At[Local]]
	if isNamespace(t.ID) {
		return t.ID.Name, l.Name, t.ID.Name != l.Name
	}
	if o.ClusterScoped || l.ClusterScoped || l.Naming == ByPath {
		return t.ID.Namespace, "", false
	}
	return t.ID.Namespace, l.Namespace, t.ID.Namespace != l.Namespace
}

// stayed reports whether a resource of origin's is in the same namespace in local's
// version. Of what names none that is known only of kinds of which local has put
// another into a namespace.
func (m *matcher) stayed(t Triple, moved map[string]bool) bool {
	return t.Has(Origin) && t.Has(Local) && t.ID.Namespace == m.sides[Local][t.At[Local]].Own().Namespace &&
		(t.ID.Namespace != "" || moved[t.ID.Kind])
}

// inhabited are the namespaces that local has something in.
func (m *matcher) inhabited() map[string]bool {
	out := map[string]bool{}
	for _, e := range m.sides[Local] {
		if namespace := e.Own().Namespace; namespace != "" {
			out[namespace] = true
		}
	}
	return out
}

func isNamespace(id ID) bool { return id.Group == "" && id.Kind == "Namespace" }
