<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Terminates a service's account. Paymenter takes the service for cancelled then, so success is
 * reported only after the panel has confirmed it.
 */
final class Termination
{
    public function __construct(private Connection $connection, private AccountLink $link)
    {
    }

    /** @throws Failure */
    public function terminate(Order $order): void
    {
        $panel = $this->connection->panel();
        if ($this->link->isSealed()) {
            $panel->terminate($this->link->username(), $order, $this->link);
            return;
        }
        // The account with the order's reference is its account, whatever its properties contain.
        $account = $panel->search->find($order);
        if ($account !== null) {
            $panel->terminate($account['username'], $order, $this->link);
            return;
        }
        if ($this->link->claimed() !== '') {
            // None that counts: this Paymenter's key has changed, or a user typed the name.
            $this->link->username();
        }
        if ($this->link->attempts() !== '') {
            $panel->attempts($this->link)->demandNoOther();
        }
    }
}
