package merge

import "go.yaml.in/yaml/v3"

// ownComments are what local says at the nodes of a result: at its own nodes,
// and at those that stand for them.
type ownComments map[*yaml.Node]slots

// note notes that n stands in the result for a node of local's, which has
// these comments.
func (o ownComments) note(n, of *yaml.Node, s slots) {
	if of != nil && n != of && s != (slots{}) {
		o[n] = s
	}
}

// learn adds the nodes of local's.
func (o ownComments) learn(n *yaml.Node) {
	eachComment(n, func(n *yaml.Node, _, _ string) { o[n] = nodeSlots(n) })
}
