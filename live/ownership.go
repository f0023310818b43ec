package live

// Annotations by which a live object says that it is not to be pruned (design 15.3).
// Only these values count.
const (
	OnRemove, OnRemoveKeep   = "cli-utils.sigs.k8s.io/on-remove", "keep"
	Deletion, DeletionDetach = "client.lifecycle.config.k8s.io/deletion", "detach"
)

// owned skips a live object that belongs to somebody else (design 15.2): one of another
// inventory is never taken, and one of none only by Adopt.
func (p *planner) owned(s Step, _ int) Step {
	at, isLive := p.live[s.ID]
	if !isLive {
		return s
	}
	owner, found := p.in.Live[at].annotation(OwningInventory)
	switch {
	case !found && p.in.Policy == Strict:
		return s.annotated(Skip, Unowned, OwningInventory, "")
	case found && owner != p.in.Inventory.ID:
		return s.annotated(Skip, Foreign, OwningInventory, owner)
	}
	return s
}

// kept keeps a live object that says that it is to stay (design 15.3), whosever it is.
func (p *planner) kept(s Step, node int) Step {
	for _, stay := range [][2]string{{OnRemove, OnRemoveKeep}, {Deletion, DeletionDetach}} {
		if value, found := p.objects[node].annotation(stay[0]); found && value == stay[1] {
			return s.annotated(Keep, Annotated, stay[0], value)
		}
	}
	return s
}
