package proxy

// outside returns a pool that keeps nothing and that nobody finds.
func (b *backend) outside(key poolKey, readOnly bool) *pool {
	return &pool{backend: b, key: key, readOnly: readOnly, closed: true}
}

// retire closes the pools of an account, whatever else they differ in. Connections that are out are closed when they
// come back. Another session with that account makes a new pool, and finds out for itself.
func (b *backend) retire(a *account) {
	for _, p := range b.remove(a) {
		p.close()
	}
}

func (b *backend) remove(a *account) (old []*pool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, p := range b.pools {
		if key.user == a.user && key.password == a.password {
			old = append(old, p)
			delete(b.pools, key)
		}
	}
	return old
}
