<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Creates whose outcome is unknown.
 *
 * Within a group of servers, Blesta takes another server when the first fails: an order whose
 * answer was lost would have an account on both.
 */
final class Attempts
{
    /** @var array<string, int> the server of each order whose create may be done */
    private static $open = [];

    /**
     * @param callable(): array<string, mixed> $create
     * @return array<string, mixed> the account
     * @throws Failure
     */
    public static function at(int $server, Order $order, callable $create): array
    {
        $key = json_encode([$order->service, $order->domain, $order->email]);
        if ((self::$open[$key] ?? $server) !== $server) {
            throw new Failure(
                'The server that was tried first may have made the account all the same.'
                    . ' Try again with that server.'
            );
        }
        try {
            $account = $create();
            unset(self::$open[$key]);
            return $account;
        } catch (Failure $failure) {
            if ($failure->mayBeDone()) {
                self::$open[$key] = $server;
            }
            throw $failure;
        }
    }
}
