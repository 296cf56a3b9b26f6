# Statements that a MariaDB with its query cache on and Weir in front of one without answer alike, with the same values,
# names and error numbers. One statement a line; they build on each other.
SHOW VARIABLES LIKE '%query_cache%'
SHOW GLOBAL VARIABLES WHERE Variable_name IN ('query_cache_type', 'query_cache_size', 'query_alloc_block_size')
SHOW VARIABLES WHERE Variable_name LIKE 'query\_c%' AND Value = 'OFF'
SHOW VARIABLES LIKE 'query__ache_type'
SHOW /*!50002 GLOBAL */ STATUS LIKE 'Qcache\_free\_blocks'
SHOW LOCAL STATUS WHERE Variable_name IN ('Qcache_queries_in_cache', 'Qcache_free_blocks', 'Qorpus')
SELECT @@query_cache_size, @@global.query_cache_type AS x, @@query_cache_limit y, @@have_query_cache
SELECT @@Query_Cache_Type, @@session.query_cache_wlock_invalidate, @@query_cache_size + 1, @@query_cache_type = 'ON', IF(@@query_cache_size > 0, 'a', 'b')
SELECT (SELECT @@query_cache_limit), '@@query_cache_limit', @@query_cache_min_res_unit DIV 1024
SELECT @@session.query_cache_size
SELECT @@session.query_cache_type, @@local.query_cache_type
SET @saved = @@global.query_cache_limit, @x = 5
SELECT @saved
SET query_cache_size = 1048576
SET SESSION query_cache_limit = 5
SET @@query_cache_min_res_unit = 5
SET GLOBAL query_cache_size = 204801
SELECT @@warning_count
SHOW WARNINGS
SELECT @@query_cache_size
SET GLOBAL query_cache_size = 100
SELECT @@query_cache_size
SET GLOBAL query_cache_size = -1
SET GLOBAL query_cache_size = '1M'
SHOW WARNINGS
SET GLOBAL query_cache_size = 1.5
SET GLOBAL query_cache_size = 1e6
SET GLOBAL query_cache_size = ON
SET GLOBAL query_cache_size = NULL
SET GLOBAL query_cache_size = @unknown
SET GLOBAL query_cache_size = 256 * 1024
SELECT @@query_cache_size
SET GLOBAL query_cache_size = @@global.query_cache_size * 2
SELECT @@query_cache_size
SET @@global.query_cache_size := (SELECT 1048576)
SELECT @@query_cache_size
SET GLOBAL query_cache_limit = 1025
SELECT @@query_cache_limit
SET GLOBAL query_cache_limit = 'x'
SET GLOBAL query_cache_limit = @saved
SELECT @@query_cache_limit
SET GLOBAL query_cache_min_res_unit = 513
SELECT @@query_cache_min_res_unit
SET GLOBAL query_cache_min_res_unit = DEFAULT
SET query_cache_type = 3
SET query_cache_type = -1
SET query_cache_type = '1'
SET query_cache_type = foo
SET query_cache_type = 1.0
SET query_cache_type = NULL
SET query_cache_type = 'demand'
SELECT @@query_cache_type, @@global.query_cache_type
SET query_cache_type = TRUE
SELECT @@query_cache_type
SET query_cache_type = `off`
SELECT @@query_cache_type
SET @y = 'Demand'
SET LOCAL query_cache_type = @y
SELECT @@query_cache_type
SET query_cache_type = ON, query_cache_type = foo
SELECT @@query_cache_type
SET query_cache_type = OFF, sort_buffer_size = 'x'
SELECT @@query_cache_type
SET SESSION query_cache_type = OFF, sql_mode = 'ANSI', @z = 3
SELECT @@query_cache_type, @@sql_mode, @z
SET sql_mode = '', query_cache_type = DEFAULT
SELECT @@query_cache_type, @@sql_mode
SET query_cache_strip_comments = 2
SET query_cache_strip_comments = on
SELECT @@query_cache_strip_comments, @@global.query_cache_strip_comments
SET query_cache_strip_comments = 1.0
SET query_cache_wlock_invalidate = 1
SHOW SESSION VARIABLES LIKE 'query_cache_wlock%'
SET have_query_cache = 1
SET GLOBAL have_query_cache = 1
SET query_cache_typ = 1
PREPARE p FROM 'SET query_cache_type = 2'
EXECUTE p
SELECT @@query_cache_type
PREPARE p FROM 'SELECT @@query_cache_type AS t'
EXECUTE p
PREPARE p FROM 'SET GLOBAL query_cache_limit = ?'
EXECUTE p USING @saved
PREPARE p FROM 'SHOW VARIABLES LIKE "query_cache_t%"'
EXECUTE p
DEALLOCATE PREPARE p
EXECUTE p
SET query_cache_type = ON
SET GLOBAL query_cache_type = OFF
SELECT @@query_cache_type, @@global.query_cache_type
SET query_cache_type = ON
SET query_cache_type = DEMAND
SET query_cache_type = OFF
SELECT @@query_cache_type, @@global.query_cache_type
SHOW STATUS LIKE 'Qcache_free_memory'
SET GLOBAL query_cache_type = ON
SET query_cache_type = ON
SELECT SQL_CACHE SQL_NO_CACHE 1
FLUSH QUERY CACHE
FLUSH LOCAL QUERY CACHE, QUERY CACHE
FLUSH QUERY CACHE STATUS
RESET QUERY CACHE
SHOW STATUS LIKE 'Qcache_queries_in_cache'
FLUSH STATUS, QUERY CACHE
SHOW STATUS LIKE 'Qcache_hits'
