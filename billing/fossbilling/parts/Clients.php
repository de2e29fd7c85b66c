<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The client and the order of an account: by what FOSSBilling keeps for extensions, and by its
 * e-mail address where nothing is recorded of it, or where a manager has no access to the database.
 */
final class Clients implements StoredLink
{
    /** @var Order */
    private $order;

    /** @var AccountOwners|null */
    private $owners;

    /** @var string where the panel is */
    private $panel;

    /** @var string */
    private $username;

    /** @var int 0 where it is not known */
    private $client;

    /** @var int the number of the order; 0 where it is not known */
    private $number = 0;

    /**
     * @param int $number what the log of the manager says
     * @throws Failure where the tables cannot be read: before anything is done
     */
    public function __construct(
        Order $order,
        ?AccountOwners $owners,
        string $panel,
        string $username,
        int $number
    ) {
        $this->order = $order;
        $this->owners = $owners;
        $this->panel = $panel;
        $this->username = $username;
        $this->client = $owners === null ? 0 : $owners->clientOf($order->email);
        $isKnown = $owners !== null && $number !== 0
            && $owners->isOrder($number, $this->client, $order->domain, $username);
        if ($isKnown) {
            $this->number = $number;
            $order->reference = 'fossbilling-' . $owners->installation() . ":$number";
        }
    }

    /** The order, with its reference where its number is known. */
    public function order(): Order
    {
        return $this->order;
    }

    public function isMade(): bool
    {
        return $this->username !== '';
    }

    public function check(array $account): void
    {
        [$owners, $username] = [$this->owners, $account['username']];
        $owner = $owners === null ? 0 : $owners->ownerOf($account);
        if ($owner !== 0 && $owner !== $this->client) {
            throw new Failure("The account $username belongs to another client.");
        }
        if ($owner === 0 && !$this->order->isOfClient($account)) {
            throw new Failure(
                "The account $username has another e-mail address than this client:"
                    . ' if it is the right one, set its e-mail address in the panel.'
            );
        }
        if ($this->number !== 0) {
            $this->checkOrder($owners, $username);
        }
    }

    public function save(array $account): void
    {
        if ($this->owners !== null && $this->client !== 0) {
            $this->owners->save($account, $this->client, $this->number);
        }
        $this->saveAttempts('');
    }

    public function forget(string $username): void
    {
        if ($this->owners !== null) {
            $this->owners->forget($username, $this->number);
        }
        $this->saveAttempts('');
    }

    public function attempts(): string
    {
        return $this->hasNumber() ? $this->owners->attemptsOf($this->number) : '';
    }

    /** Nowhere, where the number of the order is not known. */
    public function saveAttempts(string $attempts): void
    {
        if ($this->hasNumber()) {
            $this->owners->saveAttempts($this->number, $attempts);
        }
    }

    private function hasNumber(): bool
    {
        return $this->owners !== null && $this->number !== 0;
    }

    public function seller(): string
    {
        return $this->owners === null ? '' : $this->owners->of($this->username, 'seller');
    }

    public function madeAt(): string
    {
        return $this->owners === null ? '' : $this->owners->of($this->username, 'made_at');
    }

    public function server(): string
    {
        $elsewhere = $this->owners === null ? '' : $this->owners->elsewhere($this->number);
        if ($elsewhere !== '') {
            return $elsewhere;
        }
        // All other records are of this server.
        return $this->seller() === '' ? '' : $this->panel;
    }

    // Staff can give two orders of a client the username of one account.
    private function checkOrder(AccountOwners $owners, string $username): void
    {
        $recorded = (int) $owners->of($username, 'order');
        if ($recorded !== 0 && $recorded !== $this->number) {
            throw new Failure("The account $username belongs to another order, number $recorded.");
        }
        $others = $owners->othersWith($username, $this->number);
        if ($recorded === 0 && $others !== []) {
            throw new Failure(
                "Order number $others[0] has the account $username too: change the username of the"
                    . ' order that it does not belong to.'
            );
        }
    }
}
