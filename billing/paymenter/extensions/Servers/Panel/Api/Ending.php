<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The end of a service's account. Paymenter takes the service for cancelled then: so nothing is
 * said to be done that the panel has not shown to be.
 */
final class Ending
{
    public function __construct(private Connection $connection, private Bond $bond)
    {
    }

    /** @throws Failure */
    public function terminate(Order $order): void
    {
        $panel = $this->connection->panel();
        if ($this->bond->isSealed()) {
            $made = $this->bond->server();
            $elsewhere = $made === $this->connection->url() ? '' : $made;
            $check = $this->bond->checkFor($order);
            $panel->terminate($this->bond->username(), $check, $elsewhere);
            return;
        }
        if ($this->bond->claimed() !== '') {
            $this->terminateClaimed($panel, $order);
            return;
        }
        // Its create may have failed, and the account be there all the same.
        $panel->test();
        $username = self::findMade($panel, $order);
        if ($username !== null) {
            $panel->terminate($username, self::asMade($order));
        }
    }

    // The key of this Paymenter is another one by now, or somebody typed the name.
    private function terminateClaimed(Provisioning $panel, Order $order): void
    {
        $username = $this->bond->claimed();
        $account = Names::isUsername($username) ? $panel->find($username) : null;
        if ($account === null || !$order->isMadeAs($account)) {
            $this->bond->username();
        }
        $panel->terminate($username, self::asMade($order));
    }

    /**
     * By the names that are made for this order and no other: null proves that nothing is there.
     *
     * @throws Failure where an account has one and is not the order's in everything
     */
    private static function findMade(Provisioning $panel, Order $order): ?string
    {
        foreach (Names::usernames($order->domain, $order->service) as $username) {
            $account = $panel->find($username);
            if ($account !== null && $order->isMadeAs($account)) {
                return $username;
            }
            if ($account !== null) {
                throw new Failure(
                    "The account $username is there, and may be this order's: terminate it in the"
                        . ' panel if it is.'
                );
            }
        }
        return null;
    }

    /** @return callable(array<string, mixed>): void */
    private static function asMade(Order $order): callable
    {
        return static function (array $account) use ($order): void {
            if (!$order->isMadeAs($account)) {
                $order->refuse($account);
            }
        };
    }
}
