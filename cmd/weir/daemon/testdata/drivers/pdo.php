<?php
// PDO as it comes: it puts values into the text itself.
$emulate ??= true;
require __DIR__ . '/talk.php';

talk(
    fn() => new PDO("mysql:host=$host;port=$port;dbname=$database;charset=utf8mb4", $user, $password,
        $emulate ? [] : [PDO::ATTR_EMULATE_PREPARES => false]),
    fn($c, $sql) => $c->query($sql)->fetchAll(PDO::FETCH_ASSOC),
    function ($c, $sql, $values) {
        $s = $c->prepare($sql);
        foreach ($values as $i => $v) $s->bindValue($i + 1, $v, is_int($v) ? PDO::PARAM_INT : PDO::PARAM_STR);
        $s->execute();
        return $s->fetchAll(PDO::FETCH_ASSOC);
    },
    fn($e) => $e->errorInfo[1] ?? 0,
);
