<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * What a panel answers. Servers that say to everything that it is well are none: nothing is taken
 * for done but what an answer shows.
 */
final class Expected
{
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

    private static function noPanel(): Failure
    {
        $sentence = 'What answered is not a panel. Check its host name and port.';
        return new Failure($sentence, 0, true);
    }
}
