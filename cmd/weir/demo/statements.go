package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// question is a statement that readers ask, and what the first column of its first row must be, whatever has been
// written meanwhile. That shows an answer to another question. It is empty if the statement fixes no such value.
type question struct {
	text, first string
}

// kind of question: rank 0 is about the most popular thing of its kind.
type kind struct {
	share int // of a hundred
	many  func(Sizes) int
	ask   func(s Sizes, rank int) question
}

// kinds are what the shop's pages ask. None has an answer that may come back once it has changed, as long as writers
// do only what is in [actions]: the auditor counts on it. That is why the count of open orders comes with the latest.
var kinds = []kind{
	{35, func(s Sizes) int { return s.Products }, productByID},
	{20, func(Sizes) int { return categories }, productsOfCategory},
	{15, func(s Sizes) int { return s.Customers }, customerByID},
	{10, func(s Sizes) int { return s.Customers }, lastOrdersOfCustomer},
	{10, func(s Sizes) int { return s.Orders }, orderWithItems},
	{5, func(Sizes) int { return 1 }, revenueByDay},
	{5, func(Sizes) int { return 1 }, openOrders},
}

func productByID(_ Sizes, rank int) question {
	id := rank + 1
	return question{fmt.Sprintf("SELECT id, name, category, price, stock FROM products WHERE id = %d", id), strconv.Itoa(id)}
}

func productsOfCategory(_ Sizes, rank int) question {
	id := rank + 1
	return question{fmt.Sprintf("SELECT category, id, name, price FROM products WHERE category = %d ORDER BY price, id LIMIT 20", id), strconv.Itoa(id)}
}

func customerByID(_ Sizes, rank int) question {
	id := rank + 1
	return question{fmt.Sprintf("SELECT id, name, city, points FROM customers WHERE id = %d", id), strconv.Itoa(id)}
}

func lastOrdersOfCustomer(_ Sizes, rank int) question {
	id := rank + 1
	return question{fmt.Sprintf(`SELECT c.id, c.name, o.id AS order_id, o.created, o.status, o.total
FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE c.id = %d ORDER BY o.id DESC LIMIT 5`, id), strconv.Itoa(id)}
}

// orderWithItems: the latest orders are looked at most.
func orderWithItems(s Sizes, rank int) question {
	id := s.Orders - rank
	return question{fmt.Sprintf(`SELECT o.id, o.status, o.total, i.line, i.quantity, i.price, p.name
FROM orders o JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE o.id = %d ORDER BY i.line`, id), strconv.Itoa(id)}
}

func revenueByDay(Sizes, int) question {
	return question{fmt.Sprintf("SELECT created, COUNT(*) AS orders, SUM(total) AS revenue FROM orders WHERE created >= '%s' GROUP BY created ORDER BY created", lastWeek), ""}
}

func openOrders(Sizes, int) question {
	return question{"SELECT COUNT(*) AS open_orders, MAX(id) AS latest FROM orders WHERE status = 'open'", ""}
}

// popularity of the things of one kind follows Zipf's law: the thing of rank k is asked for in proportion to
// 1 / (k + offset)^exponent.
const (
	exponent = 1.6
	offset   = 2
)

// dice choose what to ask and what to change. They are for one goroutine, and the same for the same number.
type dice struct {
	*rand.Rand
	sizes Sizes
	ranks map[int]*rand.Zipf
}

func newDice(sizes Sizes, number int) *dice {
	return &dice{Rand: rand.New(rand.NewPCG(uint64(number), 0)), sizes: sizes, ranks: map[int]*rand.Zipf{}}
}

// rank returns a popular rank among so many.
func (d *dice) rank(many int) int {
	z := d.ranks[many]
	if z == nil {
		z = rand.NewZipf(d.Rand, exponent, offset, uint64(max(many, 1)-1))
		d.ranks[many] = z
	}
	return int(z.Uint64())
}

// question chooses what a reader asks next.
func (d *dice) question() question {
	k := kinds[pick(d.Rand, len(kinds), func(i int) int { return kinds[i].share })]
	return k.ask(d.sizes, d.rank(k.many(d.sizes)))
}

// pick chooses one of n things by their shares of a hundred.
func pick(r *rand.Rand, n int, share func(int) int) int {
	left := r.IntN(100)
	for i := range n - 1 {
		if left -= share(i); left < 0 {
			return i
		}
	}
	return n - 1
}

// popular returns the questions about the most popular things: up to so many of each kind.
func popular(s Sizes, many int) (all []question) {
	for _, k := range kinds {
		for rank := range min(many, k.many(s)) {
			all = append(all, k.ask(s, rank))
		}
	}
	return all
}
