<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Sentences as they are passed on.
 */
final class Text
{
    /** As long as any that a person reads to its end. */
    public const MAX_SENTENCE = 300;

    /**
     * One line of at most so many bytes, with whole characters only. It holds no markup, as some
     * billing systems print messages as they are, and others escape them.
     */
    public static function line(string $text, int $maxBytes = self::MAX_SENTENCE): string
    {
        $line = trim((string) preg_replace('/[\x00-\x20\x7f]+/', ' ', $text));
        $line = strtr($line, ['<' => '‹', '>' => '›']);
        if (strlen($line) <= $maxBytes) {
            return $line;
        }
        $cut = substr($line, 0, $maxBytes - strlen('…'));
        return preg_replace('/[\xc0-\xff]?[\x80-\xbf]*$/D', '', $cut) . '…';
    }
}
