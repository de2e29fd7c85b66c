<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Which client and order an account is of: by what FOSSBilling keeps for extensions, and by its
 * e-mail address where nothing is recorded of it, or where a manager has no access to the database.
 */
final class Clients implements StoredLink
{
    /** @var Order */
    private $order;

    /** @var AccountOwners|null */
    private $books;

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
        ?AccountOwners $books,
        string $panel,
        string $username,
        int $number
    ) {
        $this->order = $order;
        $this->books = $books;
        $this->panel = $panel;
        $this->username = $username;
        $this->client = $books === null ? 0 : $books->clientOf($order->email);
        $isKnown = $books !== null && $number !== 0
            && $books->isOrder($number, $this->client, $order->domain, $username);
        if ($isKnown) {
            $this->number = $number;
            $order->reference = 'fossbilling-' . $books->installation() . ":$number";
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
        [$books, $username] = [$this->books, $account['username']];
        $owner = $books === null ? 0 : $books->ownerOf($account);
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
            $this->checkOrder($books, $username);
        }
    }

    public function save(array $account): void
    {
        if ($this->books !== null && $this->client !== 0) {
            $this->books->save($account, $this->client, $this->number);
        }
        $this->saveAttempts('');
    }

    public function forget(string $username): void
    {
        if ($this->books !== null) {
            $this->books->forget($username, $this->number);
        }
        $this->saveAttempts('');
    }

    public function attempts(): string
    {
        return $this->hasNumber() ? $this->books->attemptsOf($this->number) : '';
    }

    /** Nowhere, where the number of the order is not known. */
    public function saveAttempts(string $attempts): void
    {
        if ($this->hasNumber()) {
            $this->books->saveAttempts($this->number, $attempts);
        }
    }

    private function hasNumber(): bool
    {
        return $this->books !== null && $this->number !== 0;
    }

    public function seller(): string
    {
        return $this->books === null ? '' : $this->books->of($this->username, 'seller');
    }

    public function madeAt(): string
    {
        return $this->books === null ? '' : $this->books->of($this->username, 'made_at');
    }

    public function server(): string
    {
        $elsewhere = $this->books === null ? '' : $this->books->elsewhere($this->number);
        if ($elsewhere !== '') {
            return $elsewhere;
        }
        // All other records are of this server.
        return $this->seller() === '' ? '' : $this->panel;
    }

    // Two orders of a client could share an account under earlier versions.
    private function checkOrder(AccountOwners $books, string $username): void
    {
        $recorded = (int) $books->of($username, 'order');
        if ($recorded !== 0 && $recorded !== $this->number) {
            throw new Failure("The account $username belongs to another order, number $recorded.");
        }
        $others = $books->othersWith($username, $this->number);
        if ($recorded === 0 && $others !== []) {
            throw new Failure(
                "Order number $others[0] has the account $username too: change the username of the"
                    . ' order that it does not belong to.'
            );
        }
    }
}
