<?php

namespace Panel\Billing;

/**
 * Sentences as they are passed on.
 */
final class Text
{
    /** One line of at most so many bytes, with whole characters only. */
    public static function line(string $text, int $maxBytes): string
    {
        $line = trim((string) preg_replace('/[\x00-\x20\x7f]+/', ' ', $text));
        if (strlen($line) <= $maxBytes) {
            return $line;
        }
        $cut = substr($line, 0, $maxBytes - strlen('…'));
        return preg_replace('/[\xc0-\xff]?[\x80-\xbf]*$/D', '', $cut) . '…';
    }
}
