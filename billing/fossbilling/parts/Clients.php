<?php

namespace Panel\Billing;

/**
 * Whether an account is a client's: by FOSSBilling's books, and by its e-mail address where they
 * have nothing of it.
 */
final class Clients
{
    /** @var Order */
    private $order;

    /** @var Books|null */
    private $books;

    public function __construct(Order $order, ?Books $books)
    {
        $this->order = $order;
        $this->books = $books;
    }

    /**
     * @param array<string, mixed> $account
     * @throws Failure where it is not
     */
    public function check(array $account): void
    {
        $owner = $this->look(static function (Books $books) use ($account): int {
            return $books->ownerOf($account);
        });
        if ($owner !== 0 && $owner === $this->client()) {
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
        $client = $this->client();
        if ($client !== 0) {
            $this->look(static function (Books $books) use ($account, $client): int {
                $books->save($account, $client);
                return $client;
            });
        }
    }

    public function forget(string $username): void
    {
        $this->look(static function (Books $books) use ($username): int {
            $books->forget($username);
            return 0;
        });
    }

    private function client(): int
    {
        return $this->look(function (Books $books): int {
            return $books->clientOf($this->order->email);
        });
    }

    /** @return int 0 also where the books have changed so much that they can't be read */
    private function look(callable $work): int
    {
        try {
            return $this->books === null ? 0 : $work($this->books);
        } catch (\PDOException $unreadable) {
            return 0;
        }
    }
}
