<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Checks the answers of a panel. Servers that answer everything with success are not panels: only
 * work that an answer shows counts as done.
 */
final class Expected
{
    /** In the place of a seller: the server's own catalogue. No user can have this name. */
    public const OWN_CATALOGUE = '*';

    /**
     * @param array<string, mixed> $account
     * @return array<string, mixed>
     * @throws Failure
     */
    public static function account(array $account, string $username): array
    {
        foreach (['email', 'package', 'state', 'created_at'] as $name) {
            if (($account['username'] ?? '') !== $username || !is_string($account[$name] ?? null)) {
                throw self::noPanel();
            }
        }
        return $account;
    }

    /**
     * @param array<string, mixed> $answer
     * @param string               $key    what each of the list has
     * @return array<int, array<string, mixed>>
     * @throws Failure
     */
    public static function listIn(array $answer, string $name, string $key): array
    {
        $list = $answer[$name] ?? null;
        foreach (is_array($list) ? $list : [null] as $each) {
            if (!is_string($each[$key] ?? null)) {
                throw self::noPanel();
            }
        }
        return $list;
    }

    /**
     * @param array<string, mixed> $record of an account, or of a token
     * @return string '' where it does not say
     */
    public static function seller(array $record): string
    {
        if (!array_key_exists('seller', $record)) {
            return '';
        }
        return is_string($record['seller']) ? $record['seller'] : self::OWN_CATALOGUE;
    }

    /**
     * @param array<string, mixed> $answer
     * @return string a link to sign on with
     * @throws Failure
     */
    public static function link(array $answer): string
    {
        $url = $answer['url'] ?? null;
        $pattern = '~^(https?)://[^\s\x00-\x1f"<>\\\\]+$~iD';
        if (!is_string($url) || preg_match($pattern, $url, $parts) !== 1) {
            throw new Failure('The panel server sent no sign-on link.');
        }
        if (strtolower($parts[1]) !== 'https') {
            // A panel on loopback, for a try, has no certificate.
            new Address((string) preg_replace('~^(\w+://[^/]+).*$~', '$1', $url));
        }
        return $url;
    }

    private static function noPanel(): Failure
    {
        $sentence = 'What answered is not a panel. Check its host name and port.';
        return new Failure($sentence, 0, true);
    }
}
