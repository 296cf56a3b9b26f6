<?php
require __DIR__ . '/talk.php';

talk(
    function () use ($host, $port, $user, $password, $database) {
        $c = mysqli_connect($host, $user, $password, $database, (int)$port);
        $c->set_charset('utf8mb4');
        return $c;
    },
    function ($c, $sql) {
        $r = $c->query($sql);
        return $r === true ? [] : $r->fetch_all(MYSQLI_ASSOC);
    },
    function ($c, $sql, $values) {
        $s = $c->prepare($sql);
        if ($values) $s->bind_param(implode(array_map(fn($v) => is_int($v) ? 'i' : 's', $values)), ...$values);
        $s->execute();
        return $s->get_result()->fetch_all(MYSQLI_ASSOC);
    },
    fn($e) => $e->getCode(),
);
