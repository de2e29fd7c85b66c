<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Names as people and the panel write them: an order's domain, usernames for it, packages.
 */
final class Names
{
    /** The number of usernames that are tried before a create fails. */
    public const MAX_ATTEMPTS = 5;

    private const PREFIX_LENGTH = 8;

    // IDNA_NONTRANSITIONAL_TO_ASCII, UTS 46.
    private const NONTRANSITIONAL = 16;

    /** As the panel writes it, '' where there is none; the panel validates it. */
    public static function domain(string $entered): string
    {
        $domain = self::folded($entered);
        $around = ['~^[a-z]+://~', '~[/?#].*$~', '~^www\.~', '~\.$~'];
        $domain = (string) preg_replace($around, '', $domain);
        // Without PHP's intl the panel converts what it is sent. A polyfill may have the function
        // without its constants.
        if (!self::isAscii($domain) && function_exists('idn_to_ascii')) {
            $ascii = idn_to_ascii($domain, self::NONTRANSITIONAL);
            return is_string($ascii) ? $ascii : $domain;
        }
        return $domain;
    }

    public static function isAscii(string $text): bool
    {
        return preg_match('/[^\x00-\x7f]/', $text) !== 1;
    }

    /**
     * A user name or domain as staff have entered it, in the panel's spelling: capital letters
     * become small ones, whatever language this PHP is set to.
     */
    public static function folded(string $entered): string
    {
        $capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
        return strtr(trim($entered), $capitals, 'abcdefghijklmnopqrstuvwxyz');
    }

    /** @param array<string, mixed> $package with what is in it */
    public static function ofPackage(array $package): string
    {
        $sites = self::counted($package['max_sites'], 'site');
        $databases = self::counted($package['max_databases'], 'database');
        return "$package[name] ($sites, $databases, $package[disk_mb] MB)";
    }

    private static function counted(int $count, string $thing): string
    {
        return $count === 1 ? "1 $thing" : "$count {$thing}s";
    }

    public static function isUsername(string $name): bool
    {
        return preg_match('/^[a-z][a-z0-9_-]{0,30}[a-z0-9]$/D', $name) === 1;
    }

    /**
     * The same ones for the same order, always: so a repeated create finds what the first one made.
     *
     * @param string $service distinguishes this order from all others of the billing system
     * @param string $given   a username that the billing system has chosen, tried first
     * @return string[]
     */
    public static function usernames(string $domain, string $service, string $given = ''): array
    {
        $letters = (string) preg_replace('/[^a-z0-9]/', '', explode('.', $domain)[0]);
        $prefix = substr((string) preg_replace('/^[^a-z]+/', '', $letters), 0, self::PREFIX_LENGTH);
        $names = self::isUsername($given) ? [$given] : [];
        for ($attempt = 1; count($names) < self::MAX_ATTEMPTS; $attempt++) {
            $hash = hash('sha256', json_encode([$domain, $service, $attempt]));
            // One of 16 million: two orders seldom collide, and if they do the next attempt
            // differs.
            $names[] = ($prefix !== '' ? $prefix : 'u') . substr($hash, 0, 6);
        }
        return $names;
    }
}
