package demo

import (
	"context"
	"fmt"

	"weir/cmd/weir/status"
	"weir/deployments/sandbox"
)

// Sizes of the shop's tables, in rows.
type Sizes struct {
	Customers, Products, Orders, Items int
}

const (
	schema     = "shop"
	categories = 50
	// The shop has a calendar of its own, so that all runs are alike: a year of orders before its today.
	days     = 365
	firstDay = "2025-01-01"
	lastWeek = "2025-12-26"
	today    = "2026-01-01"
)

// open is how many of the orders, the latest, have not been shipped yet.
func (s Sizes) open() int { return s.Orders / 50 }

func (s Sizes) String() string {
	return fmt.Sprintf("%s customers, %s products, %s orders, %s items",
		status.Grouped(int64(s.Customers)), status.Grouped(int64(s.Products)), status.Grouped(int64(s.Orders)), status.Grouped(int64(s.Items)))
}

// load makes the shop. Its rows are made on the server, and are the same in each run. The numbers that they are made of
// stay out of the binlog.
func (s Sizes) load(ctx context.Context, source *sandbox.Server) error {
	statements := append([]string{
		"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", // what is copied need not be locked
		"CREATE DATABASE " + schema, "USE " + schema,
	}, tables...)
	statements = append(statements, s.numbers()...)
	statements = append(statements, s.rows()...)
	statements = append(statements,
		"SET SESSION sql_log_bin = 0", "DROP TABLE numbers", "SET SESSION sql_log_bin = 1",
		"ANALYZE TABLE customers, products, orders, items")
	if err := source.Exec(ctx, statements...); err != nil {
		return fmt.Errorf("load the shop: %w", err)
	}
	return nil
}

var tables = []string{
	`CREATE TABLE customers (
		id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(60) NOT NULL, city VARCHAR(40) NOT NULL,
		points INT UNSIGNED NOT NULL)`,
	`CREATE TABLE products (
		id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, category SMALLINT UNSIGNED NOT NULL, name VARCHAR(60) NOT NULL,
		price DECIMAL(10,2) NOT NULL, stock INT NOT NULL, KEY (category, price))`,
	`CREATE TABLE orders (
		id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, customer_id INT UNSIGNED NOT NULL, created DATE NOT NULL,
		status VARCHAR(10) NOT NULL, total DECIMAL(12,2) NOT NULL, KEY (customer_id), KEY (created), KEY (status))`,
	`CREATE TABLE items (
		order_id INT UNSIGNED NOT NULL, line SMALLINT UNSIGNED NOT NULL, product_id INT UNSIGNED NOT NULL,
		quantity SMALLINT UNSIGNED NOT NULL, price DECIMAL(10,2) NOT NULL, PRIMARY KEY (order_id, line), KEY (product_id))`,
	`CREATE TABLE probe (id INT UNSIGNED NOT NULL PRIMARY KEY, value BIGINT NOT NULL)`,
	`INSERT INTO probe VALUES (1, 0)`,
}

// numbers makes a table of the numbers from 0 up to the size of the largest table at least.
func (s Sizes) numbers() []string {
	statements := []string{
		"SET SESSION sql_log_bin = 0",
		"CREATE TABLE numbers (n INT UNSIGNED NOT NULL) ENGINE=MEMORY",
		"INSERT INTO numbers VALUES (0)",
	}
	for have := 1; have < max(s.Customers, s.Products, s.Orders, s.Items); have *= 2 {
		statements = append(statements, fmt.Sprintf("INSERT INTO numbers SELECT n + %d FROM numbers", have))
	}
	return append(statements, "SET SESSION sql_log_bin = 1")
}

// rows fills the tables. CRC32 serves as the dice. An order's total is the sum of its items, so these come first.
func (s Sizes) rows() []string {
	return []string{
		fmt.Sprintf(`INSERT INTO customers SELECT n + 1, CONCAT('Customer ', n + 1),
			ELT(1 + n MOD 6, 'Aveiro', 'Bergen', 'Cork', 'Delft', 'Espoo', 'Faro'), CRC32(n) MOD 1000
			FROM numbers WHERE n < %d`, s.Customers),
		fmt.Sprintf(`INSERT INTO products SELECT n + 1, 1 + n MOD %d, CONCAT('Product ', n + 1),
			(99 + CRC32(n) MOD 20000) / 100, 100000
			FROM numbers WHERE n < %d`, categories, s.Products),
		fmt.Sprintf(`INSERT INTO items SELECT 1 + n MOD %d, 1 + n DIV %[1]d, p.id, 1 + CRC32(n + 7) MOD 3, p.price
			FROM numbers JOIN products p ON p.id = 1 + CRC32(n) MOD %d WHERE n < %d`, s.Orders, s.Products, s.Items),
		fmt.Sprintf(`INSERT INTO orders SELECT n + 1, 1 + CRC32(n) MOD %d, DATE '%s' + INTERVAL n * %d DIV %d DAY,
			IF(n < %d, 'shipped', 'open'), COALESCE((SELECT SUM(quantity * price) FROM items WHERE order_id = n + 1), 0)
			FROM numbers WHERE n < %[4]d`, s.Customers, firstDay, days, s.Orders, s.Orders-s.open()),
	}
}
