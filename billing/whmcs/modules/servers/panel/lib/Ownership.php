<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Whether an account is the one that a service of WHMCS has now.
 */
final class Ownership
{
    /** @return callable(array<string, mixed>): void throws where it is not */
    public static function of(Parameters $given): callable
    {
        return static function (array $account) use ($given): void {
            self::check($given, $account);
        };
    }

    /**
     * @param array<string, mixed> $account
     * @throws Failure
     */
    private static function check(Parameters $given, array $account): void
    {
        [$server, $username] = [$given->id('serverid'), $account['username']];
        $services = Accounts::servicesOf($server, $username, $account['created_at']);
        if (in_array($given->service(), $services, true)) {
            return;
        }
        if (!Hosting::isFree($username, $given)) {
            throw new Failure("The account $username belongs to another service.");
        }
        $order = $given->order();
        if (!self::canBe($order, $given, $account)) {
            $order->refuse($account);
        }
        Accounts::save($given, $account);
    }

    /**
     * For an account of which nothing is written down: one of the server sync, or of an earlier
     * version of the module.
     *
     * @param array<string, mixed> $account
     */
    private static function canBe(Order $order, Parameters $given, array $account): bool
    {
        if ($given->status() === 'Pending') {
            return $order->isMadeAs($account);
        }
        $former = Accounts::servicesOf($given->id('serverid'), $account['username']);
        // The service has had another account of this name.
        return in_array($given->service(), $former, true)
            ? $order->isOfClient($account) && $order->isForDomain($account)
            : $order->canOwn($account);
    }
}
