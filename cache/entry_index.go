package cache

// Index returns the index of the entry of that name in Entries.
func (c *Channel) Index(name string) (int, bool) { return c.find(name) }
