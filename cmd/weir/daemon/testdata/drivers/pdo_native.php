<?php
// PDO that prepares on the server. PDO::query() does, too, if it is not told to emulate.
$emulate = false;
require __DIR__ . '/pdo.php';
