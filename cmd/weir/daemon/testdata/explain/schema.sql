-- A schema with every feature that decides what a statement depends on. One statement a line; those behind a flavour are for that one.
CREATE DATABASE shop
CREATE TABLE shop.items (id INT PRIMARY KEY, name VARCHAR(40) COLLATE utf8mb4_general_ci, price DECIMAL(10,2), gross DECIMAL(10,2) AS (price * 1.2) VIRTUAL, kind ENUM('book','toy') NOT NULL DEFAULT 'book', UNIQUE KEY (name), KEY (kind))
CREATE TABLE shop.orders (id INT PRIMARY KEY, item INT, day DATE, note TEXT, KEY (day), FULLTEXT KEY (note), CONSTRAINT of_item FOREIGN KEY (item) REFERENCES shop.items (id) ON DELETE CASCADE)
CREATE TABLE shop.stock (id INT PRIMARY KEY, n INT, at TIME) PARTITION BY RANGE (id) (PARTITION few VALUES LESS THAN (100), PARTITION many VALUES LESS THAN MAXVALUE)
CREATE TABLE shop.log (line VARCHAR(40)) ENGINE=MyISAM
CREATE TABLE shop.swedish (id INT PRIMARY KEY, name VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_swedish_ci, KEY (name))
CREATE TRIGGER shop.after_item AFTER UPDATE ON shop.items FOR EACH ROW SET @changed = 1
CREATE FUNCTION shop.vat(n INT) RETURNS INT DETERMINISTIC NO SQL RETURN n * 2
CREATE PROCEDURE shop.restock() UPDATE shop.stock SET n = n + 1
CREATE VIEW shop.cheap AS SELECT id, name FROM shop.items WHERE price < 10
CREATE VIEW shop.sold AS SELECT o.id, o.day, c.name FROM shop.orders o JOIN shop.cheap c ON c.id = o.item
CREATE VIEW shop.today AS SELECT id FROM shop.orders WHERE day = CURDATE()
mariadb: CREATE SEQUENCE shop.ids
mariadb: CREATE TABLE shop.versioned (id INT PRIMARY KEY, n INT) WITH SYSTEM VERSIONING
INSERT INTO shop.items (id, name, price, kind) VALUES (1, 'atlas', 9.5, 'book'), (5, 'ball', 3, 'toy')
INSERT INTO shop.orders (id, item, day) VALUES (1, 1, '2024-03-01'), (2, 5, '2024-03-02')
INSERT INTO shop.stock VALUES (1, 10, '10:00:00')
