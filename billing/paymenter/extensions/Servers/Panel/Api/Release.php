<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The release of Paymenter.
 */
final class Release
{
    /** The first that shows rows on a service's page and hands on what a button returns. */
    private const OLDEST = '1.3';

    /** @return string '' where it will do, also where it is none with a number */
    public static function problem(): string
    {
        $version = ltrim((string) config('app.version'), 'v');
        $isOld = preg_match('/^\d/', $version) === 1
            && version_compare($version, self::OLDEST, '<');
        return $isOld
            ? 'This extension takes Paymenter ' . self::OLDEST . " or later, and this is $version."
            : '';
    }
}
