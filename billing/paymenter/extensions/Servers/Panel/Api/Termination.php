<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Terminates a service's account. Paymenter takes the service for cancelled then, so success is
 * reported only after the panel has confirmed it.
 */
final class Termination
{
    public function __construct(private Connection $connection, private AccountLink $bond)
    {
    }

    /** @throws Failure */
    public function terminate(Order $order): void
    {
        $panel = $this->connection->panel();
        if ($this->bond->isSealed()) {
            $panel->terminate($this->bond->username(), $order, $this->bond);
            return;
        }
        // The account with the order's reference is its account, whatever its properties contain.
        $account = $panel->search->find($order);
        if ($account !== null) {
            $panel->terminate($account['username'], $order, $this->bond);
            return;
        }
        if ($this->bond->claimed() !== '') {
            $this->terminateClaimed($panel, $order);
            return;
        }
        // An earlier version's create may have failed, and the account be there all the same.
        $panel->test();
        $username = self::findMade($panel, $order);
        if ($username !== null) {
            $panel->remove($username);
            return;
        }
        if ($this->bond->attempts() !== '') {
            $panel->attempts($this->bond)->demandNoOther();
        }
    }

    // This Paymenter's key has changed, or a user typed the name.
    private function terminateClaimed(Provisioning $panel, Order $order): void
    {
        $username = $this->bond->claimed();
        $account = Names::isUsername($username) ? $panel->find($username) : null;
        $isOurs = $account !== null && !isset($account['reference']) && $order->isMadeAs($account);
        if (!$isOurs) {
            // It has none that counts: says what to do.
            $this->bond->username();
        }
        $panel->remove($username);
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
            if ($account !== null && $order->isMadeBefore($account)) {
                return $username;
            }
            // An account with a reference is known to be another order's.
            if ($account !== null && !isset($account['reference'])) {
                throw new Failure(
                    "The account $username is there, and may be this order's: terminate it in the"
                        . ' panel if it is.'
                );
            }
        }
        return null;
    }
}
