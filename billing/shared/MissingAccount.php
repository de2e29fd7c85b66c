<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Panels that were away a moment ago, for as long as this PHP runs: a cron job that goes through
 * hundreds of services would otherwise wait for each of them.
 */
final class MissingAccount
{
    private const KEPT_SECONDS = 30.0;

    /** @var array<string, array{float, Failure|null}> by address: until when, and the answer */
    private static $known = [];

    /**
     * @param Failure|null $unreached where no server could be connected to, or it never answered;
     *                                null for a panel that is there and fails
     */
    public static function begin(string $address, ?Failure $unreached): void
    {
        self::$known[$address] = [hrtime(true) / 1e9 + self::KEPT_SECONDS, $unreached];
    }

    public static function end(string $address): void
    {
        unset(self::$known[$address]);
    }

    /** Whether one try has to do, until the panel answers. */
    public static function isKnown(string $address): bool
    {
        return isset(self::$known[$address]);
    }

    /** @throws Failure where it was just tried whether anybody is there */
    public static function check(string $address): void
    {
        [$until, $unreached] = self::$known[$address] ?? [0.0, null];
        if ($unreached !== null && hrtime(true) / 1e9 < $until) {
            throw new Failure($unreached->getMessage());
        }
    }
}
