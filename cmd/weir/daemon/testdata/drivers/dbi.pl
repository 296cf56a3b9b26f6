# DBI with DBD::mysql or DBD::MariaDB, whichever the last argument names. Both prepare on the server only if told to.
use strict;
use warnings;
use utf8;
use DBI;

binmode STDOUT, ':utf8';
$| = 1;
my ($host, $port, $user, $password, $database, $driver) = @ARGV;
my %options = (RaiseError => 1, PrintError => 0, $driver eq 'mysql' ? (mysql_enable_utf8mb4 => 1) : ());

sub complain { my $message = DBI->errstr; $message =~ tr/\n/ /; print 'error ', DBI->err, " $message\n" }

sub written {
    my ($v) = @_;
    return 'NULL' unless defined $v;
    $v =~ s/([\\|\x00-\x1f\x7f-\x9f])/sprintf '\\x%02x', ord $1/ge;
    return $v;
}

sub answer {
    my ($statement) = @_;
    my $rows = $statement->{NUM_OF_FIELDS} ? $statement->fetchall_arrayref : [];
    print 'ok ', join(';', map { join '|', map { written($_) } @$_ } @$rows), "\n";
}

my $db = eval { DBI->connect("DBI:$driver:database=$database;host=$host;port=$port", $user, $password, \%options) };
unless ($db) { complain(); exit }
print "ok\n";
while (my $line = <STDIN>) {
    chomp $line;
    utf8::decode($line);
    my ($how, $sql, @values) = split /\t/, $line, -1;
    eval {
        my $statement = $db->prepare($sql, { lc $driver . "_server_prepare" => $how eq 'prepared' ? 1 : 0 });
        for my $i (0 .. $#values) {
            $statement->bind_param($i + 1, $values[$i], $values[$i] =~ /^\d+$/ ? DBI::SQL_INTEGER : DBI::SQL_VARCHAR);
        }
        $statement->execute;
        answer($statement);
        1;
    } or complain();
}
