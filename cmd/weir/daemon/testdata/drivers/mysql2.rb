# The mysql2 gem, with the options that Rails gives it, in a console that people type into.
require 'mysql2'
$stdout.sync = true

host, port, user, password, database = ARGV

def complain(e) = puts("error #{e.error_number} #{e.message.tr("\n", ' ')}")
def answer(result) = puts('ok ' + result.to_a.map { |row| row.transform_values { |v| v.is_a?(BigDecimal) ? v.to_s('F') : v } }.inspect)

begin
  client = Mysql2::Client.new(host: host, port: port.to_i, username: user, password: password, database: database,
                              encoding: 'utf8mb4', flags: Mysql2::Client::FOUND_ROWS | Mysql2::Client::INTERACTIVE)
rescue Mysql2::Error => e
  complain(e)
  exit
end
puts 'ok'
while (line = $stdin.gets(chomp: true))
  how, sql, *values = line.force_encoding('UTF-8').split("\t")
  values.map! { |v| v.match?(/\A\d+\z/) ? v.to_i : v }
  begin
    answer(how == 'text' ? client.query(sql) : client.prepare(sql).execute(*values))
  rescue Mysql2::Error => e
    complain(e)
  end
end
