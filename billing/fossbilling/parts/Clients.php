<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Whether an account is a client's: by FOSSBilling's books, and by its e-mail address where they
 * have nothing of it, or where a manager is not let at them.
 */
final class Clients
{
    /** @var Order */
    private $order;

    /** @var Books|null */
    private $books;

    /** @var int 0 where it is not known */
    private $client;

    /** @throws Failure where the books cannot be read: before anything is done */
    public function __construct(Order $order, ?Books $books)
    {
        $this->order = $order;
        $this->books = $books;
        $this->client = $books === null ? 0 : $books->clientOf($order->email);
    }

    /**
     * @param array<string, mixed> $account
     * @throws Failure where it is not
     */
    public function check(array $account): void
    {
        $owner = $this->books === null ? 0 : $this->books->ownerOf($account);
        if ($owner !== 0 && $owner === $this->client) {
            return;
        }
        if ($owner !== 0) {
            throw new Failure("The account $account[username] belongs to another client.");
        }
        if (!$this->order->isOfClient($account)) {
            throw new Failure(
                "The account $account[username] has another e-mail address than this client:"
                    . ' if it is the right one, set its e-mail address in the panel.'
            );
        }
        $this->save($account);
    }

    /** @param array<string, mixed> $account */
    public function save(array $account): void
    {
        if ($this->books !== null && $this->client !== 0) {
            $this->books->save($account, $this->client);
        }
    }

    public function forget(string $username): void
    {
        if ($this->books !== null) {
            $this->books->forget($username);
        }
    }
}
