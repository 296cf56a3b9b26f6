package statement

import "strings"

// The lists below are the built-in functions whose value depends on nothing but their arguments and the session
// settings that are part of a cache key (sql_mode, time_zone, character sets and collation, lc_time_names,
// group_concat_max_len, div_precision_increment, default_week_format). Names are as in MySQL 8.0.30 and
// MariaDB 10.6, the oldest that Weir supports. A name that is on no list may be a stored function or a loadable one.
const (
	// onBoth are built in on both flavors.
	onBoth = `
abs acos adddate addtime aes_decrypt aes_encrypt ascii asin atan atan2 avg bin bit_and bit_count bit_length bit_or
bit_xor ceil ceiling char char_length character_length charset coalesce coercibility collation compress concat
concat_ws conv convert convert_tz cos cot count crc32 cume_dist date date_add date_format date_sub datediff day
dayname dayofmonth dayofweek dayofyear degrees dense_rank elt exp export_set extract extractvalue field find_in_set
first_value floor format from_base64 from_days from_unixtime get_format greatest group_concat hex hour if ifnull
inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr interval is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 isnull
json_array json_array_append json_array_insert json_arrayagg json_contains json_contains_path json_depth json_extract
json_insert json_keys json_length json_merge json_merge_patch json_merge_preserve json_object json_objectagg
json_quote json_remove json_replace json_search json_set json_type json_unquote json_valid json_value lag last_day
last_value lcase lead least left length ln locate log log10 log2 lower lpad ltrim make_set makedate maketime max md5
microsecond mid min minute mod month monthname name_const nth_value ntile nullif oct octet_length ord percent_rank
period_add period_diff pi position pow power quarter quote radians rank regexp_instr regexp_replace regexp_substr
repeat replace reverse right round row_number rpad rtrim sec_to_time second sha sha1 sha2 sign sin soundex space sqrt
std stddev stddev_pop stddev_samp str_to_date strcmp subdate substr substring substring_index subtime sum tan time
time_format time_to_sec timediff timestamp timestampadd timestampdiff to_base64 to_days to_seconds trim truncate ucase
uncompress uncompressed_length unhex unix_timestamp updatexml upper var_pop var_samp variance week weekday weekofyear
weight_string year yearweek

geometrycollection linestring mbrcontains mbrdisjoint mbrequals mbrintersects mbroverlaps mbrtouches mbrwithin
multilinestring multipoint multipolygon point polygon st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt
st_buffer st_centroid st_contains st_convexhull st_crosses st_difference st_dimension st_disjoint st_distance
st_endpoint st_envelope st_equals st_exteriorring st_geomcollfromtext st_geomcollfromwkb st_geometrycollectionfromtext
st_geometrycollectionfromwkb st_geometryfromtext st_geometryfromwkb st_geometryn st_geometrytype st_geomfromgeojson
st_geomfromtext st_geomfromwkb st_interiorringn st_intersection st_intersects st_isclosed st_isempty st_issimple
st_length st_linefromtext st_linefromwkb st_linestringfromtext st_linestringfromwkb st_mlinefromtext st_mlinefromwkb
st_mpointfromtext st_mpointfromwkb st_mpolyfromtext st_mpolyfromwkb st_multilinestringfromtext
st_multilinestringfromwkb st_multipointfromtext st_multipointfromwkb st_multipolygonfromtext st_multipolygonfromwkb
st_numgeometries st_numinteriorrings st_numpoints st_overlaps st_pointfromtext st_pointfromwkb st_pointn
st_polyfromtext st_polyfromwkb st_polygonfromtext st_polygonfromwkb st_srid st_startpoint st_symdifference st_touches
st_union st_within st_x st_y`

	onMySQL = `
any_value bin_to_uuid format_bytes format_pico_time grouping gtid_subset gtid_subtract is_uuid json_overlaps
json_pretty json_schema_valid json_schema_validation_report json_storage_free json_storage_size regexp_like
uuid_to_bin

mbrcoveredby mbrcovers st_collect st_distance_sphere st_frechetdistance st_geohash st_hausdorffdistance st_isvalid
st_latfromgeohash st_latitude st_lineinterpolatepoint st_lineinterpolatepoints st_longfromgeohash st_longitude
st_makeenvelope st_pointatdistance st_pointfromgeohash st_simplify st_swapxy st_transform st_validate`

	onMariaDB = `
add_months chr column_check column_exists column_json column_list concat_operator_oracle decode decode_histogram
decode_oracle encode json_compact json_detailed json_exists json_loose json_query lengthb lpad_oracle ltrim_oracle
median nvl nvl2 replace_oracle rpad_oracle rtrim_oracle substr_oracle to_char trim_oracle

st_boundary st_isring st_pointonsurface st_relate`
)

// newer are built in from a version on: 100 * major + minor, 0 for never.
var newer = map[string]struct{ mysql, mariadb int }{
	"crc32c":                  {0, 1008},
	"from_vector":             {900, 0},
	"json_array_intersect":    {0, 1102},
	"json_equals":             {0, 1007},
	"json_key_value":          {0, 1102},
	"json_normalize":          {0, 1007},
	"json_object_filter_keys": {0, 1102},
	"json_object_to_array":    {0, 1102},
	"json_overlaps":           {0, 1009},
	"json_pretty":             {0, 1010},
	"json_schema_valid":       {0, 1101},
	"kdf":                     {0, 1103},
	"natural_sort_key":        {0, 1007},
	"sformat":                 {0, 1007},
	"st_distance_sphere":      {0, 1011},
	"string_to_vector":        {900, 0},
	"to_vector":               {900, 0},
	"vec_distance_cosine":     {0, 1107},
	"vec_distance_euclidean":  {0, 1107},
	"vec_fromtext":            {0, 1107},
	"vec_totext":              {0, 1107},
	"vector_dim":              {900, 0},
	"vector_to_string":        {900, 0},
}

const (
	// changing give another value each time, or wait.
	changing = `
benchmark curdate current_date current_time current_timestamp curtime encrypt localtime localtimestamp now rand
random_bytes sleep sys_guid sysdate systimestamp utc_date utc_time utc_timestamp uuid uuid_short uuid_v4 uuid_v7`

	// ofSession depend on the connection, the account, or on which server is asked.
	ofSession = `
binlog_gtid_pos can_access_database can_access_table connection_id current_path current_role current_user database
found_rows get_lock icu_version is_free_lock is_used_lock last_insert_id load_file master_gtid_wait master_pos_wait
ps_current_thread_id ps_thread_id release_all_locks release_lock roles_graphml row_count rownum schema session_user
source_pos_wait statement_digest statement_digest_text system_user user validate_password_strength version
wait_for_executed_gtid_set wait_until_sql_thread_after_gtids wsrep_last_seen_gtid wsrep_last_written_gtid
wsrep_sync_wait_upto_gtid`

	ofSequence = `lastval nextval setval`

	// stateful are those that leave something on the connection or read what was left there.
	stateful = `
found_rows get_lock is_used_lock last_insert_id lastval nextval release_all_locks release_lock row_count setval`

	// bare are called without parentheses. Some of them are columns to the TiDB parser.
	bare = `
current_catalog current_date current_path current_role current_schema current_time current_timestamp current_user
localtime localtimestamp session_user system_user utc_date utc_time utc_timestamp`

	// tight are keywords only if the parenthesis follows at once, or under IGNORE_SPACE behind white space
	// but no comment, and never in backquotes.
	// Otherwise the server looks for a stored function of that name.
	tight = `
adddate bit_and bit_or bit_xor cast count curdate curtime date_add date_sub extract group_concat json_arrayagg
json_objectagg max mid min now position session_user st_collect std stddev stddev_pop stddev_samp subdate substr
substring sum sysdate system_user trim var_pop var_samp variance`

	// moved are built in no more on MySQL 9.7, found by asking it: a component has them, and where that is not installed
	// a stored function can have the name. Which release of 9 did it does not matter that much.
	moved = `md5 sha sha1`

	// internal are names under which the TiDB parser files something else.
	internal = "char_func insert_func json_memberof 'tidb`.(dateliteral 'tidb`.(timeliteral 'tidb`.(timestampliteral"
)

// functions is what is known of functions, by their names in lower case.
type functions struct {
	native                                 map[string]native
	refused                                map[string]Reason
	stateful, bare, tight, internal, clock map[string]bool

	moved map[string]bool
}

// native says since which version a function is built in: 0 for always, -1 for never.
type native struct{ mysql, mariadb int }

func newFunctions() *functions {
	f := &functions{
		native: map[string]native{}, refused: map[string]Reason{},
		stateful: set(stateful), bare: set(bare), tight: set(tight), internal: set(internal), clock: set(needsDate),
		moved: set(moved),
	}
	f.addNative()
	for list, reason := range map[string]Reason{changing: NonDeterministic, ofSession: SessionFunction, ofSequence: Sequence} {
		for name := range strings.FieldsSeq(list) {
			f.refused[name] = reason
		}
	}
	return f
}

func (f *functions) addNative() {
	for list, n := range map[string]native{onBoth: {}, onMySQL: {mariadb: -1}, onMariaDB: {mysql: -1}, internal: {}} {
		for name := range strings.FieldsSeq(list) {
			f.native[name] = n
		}
	}
	for name, since := range newer {
		n, known := f.native[name]
		if !known {
			n = native{-1, -1}
		}
		f.native[name] = native{either(since.mysql, n.mysql), either(since.mariadb, n.mariadb)}
	}
}

// either returns the version since, or what was known before if there is none.
func either(since, before int) int {
	if since > 0 {
		return since
	}
	return before
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		m[name] = true
	}
	return m
}

// deterministic tells whether the function is built into the server and known to be repeatable.
func (f *functions) deterministic(name string, env *Env) bool {
	n, ok := f.native[name]
	switch {
	case !ok, f.moved[name] && env.Flavor != MariaDB && env.Version >= 900:
		return false
	case env.Flavor == MySQL:
		return n.mysql >= 0 && env.Version >= n.mysql
	case env.Flavor == MariaDB:
		return n.mariadb >= 0 && env.Version >= n.mariadb
	}
	return n.mysql == 0 && n.mariadb == 0
}

// reason says why a call of the function cannot be cached.
func (f *functions) reason(name string) Reason {
	if r, ok := f.refused[name]; ok {
		return r
	}
	return StoredFunction
}
