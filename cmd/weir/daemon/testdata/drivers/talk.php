<?php
// Reads commands, runs them one after the other, and prints the answers. See README.md.

[, $host, $port, $user, $password, $database] = $argv;

// lossless writes rows so that 1, '1' and null differ, and bytes that are no text can be seen.
function lossless(array $rows): string {
    array_walk_recursive($rows, function (&$v) {
        if (is_string($v) && !mb_check_utf8($v)) $v = 'hex ' . bin2hex($v);
    });
    return 'ok ' . json_encode($rows, JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR);
}

function mb_check_utf8(string $v): bool { return preg_match('//u', $v) === 1; }

function complain(int $number, string $message): string { return "error $number " . strtr($message, "\n", ' '); }

// talk answers with what $text($sql) and $prepared($sql, $values) return; $number finds the error's number.
function talk(callable $connect, callable $text, callable $prepared, callable $number): void {
    try {
        $connection = $connect();
    } catch (Exception $e) {
        echo complain($number($e), $e->getMessage()), "\n";
        return;
    }
    echo "ok\n";
    while (($line = fgets(STDIN)) !== false) {
        $fields = explode("\t", rtrim($line, "\n"));
        $values = array_map(fn($v) => ctype_digit($v) ? (int)$v : $v, array_slice($fields, 2));
        try {
            echo lossless($fields[0] === 'text' ? $text($connection, $fields[1]) : $prepared($connection, $fields[1], $values)), "\n";
        } catch (Exception $e) {
            echo complain($number($e), $e->getMessage()), "\n";
        }
    }
}
