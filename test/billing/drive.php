<?php

// Drives one module as its billing system would, by lines of JSON on standard input: an operation
// and its values. Answers each with a line: the outcome, PHP's warnings, and what the module has
// logged.

namespace PanelTest;

final class Recorder
{
    /** @var array<int, mixed> what reached a log of the billing system's */
    public static $logged = [];

    /** @var string[] */
    public static $warnings = [];

    /** @param mixed $entry */
    public static function log($entry): void
    {
        self::$logged[] = $entry;
    }
}

set_error_handler(static function (int $_, string $message, string $file, int $line): bool {
    // Warnings that are suppressed where they occur are expected.
    if ((error_reporting() & E_WARNING) !== 0) {
        Recorder::$warnings[] = "$message in " . basename($file) . ":$line";
    }
    return true;
});

// The operations of a system: each takes its values and returns the outcome.
$operations = (require $argv[1])($argv[2] ?? '');

while (($line = fgets(STDIN)) !== false) {
    $asked = json_decode($line, true, 64, JSON_THROW_ON_ERROR);
    Recorder::$logged = Recorder::$warnings = [];
    ob_start();
    $began = hrtime(true);
    try {
        $outcome = ['value' => $operations[$asked['operation']]($asked['values'])];
    } catch (\Throwable $thrown) {
        // As a billing system's own handler would log it.
        Recorder::log((string) $thrown);
        $outcome = ['thrown' => get_class($thrown) . ': ' . $thrown->getMessage()];
    }
    echo json_encode($outcome + [
        'ms' => (hrtime(true) - $began) / 1e6,
        'printed' => ob_get_clean(),
        'warnings' => Recorder::$warnings,
        'logged' => print_r(Recorder::$logged, true),
    ], JSON_THROW_ON_ERROR | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
}
