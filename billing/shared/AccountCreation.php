<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The create of an order's account, which may have been tried before: an account that has the
 * order's reference is the order's, and no other one is.
 */
final class AccountCreation
{
    /** @var Provisioning */
    private $panel;

    /** @var AccountSearch */
    private $search;

    /** @var Order */
    private $order;

    /** @var CreateAttempts|null */
    private $attempts;

    /** @var bool whether the order may have an account although this fails */
    private $mayBeMade = false;

    /** @var callable(array<string, mixed>): void throws where an account is another order's */
    private $check;

    public function __construct(
        Provisioning $panel,
        AccountSearch $search,
        Order $order,
        callable $check,
        ?CreateAttempts $attempts
    ) {
        $this->panel = $panel;
        $this->search = $search;
        $this->order = $order;
        $this->check = $check;
        $this->attempts = $attempts;
    }

    /**
     * Records the attempt before it is sent, and takes it back where nothing can have come of it.
     *
     * @param string[]      $usernames the first that is not taken
     * @param callable|null $isFree    whether it belongs to no other order, as (string): bool
     * @return array<string, mixed> the account, which may have another name if it was made before
     * @throws Failure
     */
    public function runAny(array $usernames, ?callable $isFree): array
    {
        $isFirst = $this->attempts !== null && $this->attempts->begin();
        foreach ($usernames as $username) {
            if ($isFree !== null && !$isFree($username)) {
                $failure = self::isOthers($username);
                continue;
            }
            try {
                return $this->run($username);
            } catch (Failure $failure) {
                if (!$failure->isOfName()) {
                    break;
                }
            }
        }
        if ($isFirst && !$this->mayBeMade) {
            $this->attempts->end();
        }
        throw $failure;
    }

    public static function isOthers(string $username): Failure
    {
        return new Failure("The username $username belongs to another order.");
    }

    /** @return array<string, mixed> */
    private function run(string $username): array
    {
        try {
            return $this->panel->make($username, $this->order);
        } catch (Failure $failure) {
            $this->mayBeMade = $this->mayBeMade || $failure->mayBeDone();
            $account = self::mayExist($failure) ? $this->find($username, $failure) : null;
            if ($account === null) {
                throw $failure;
            }
            return $this->update($account);
        }
    }

    // A license or plan may be used up by this very account.
    private static function mayExist(Failure $failure): bool
    {
        return $failure->mayBeDone() || in_array($failure->status(), [400, 402, 403], true);
    }

    /** @return array<string, mixed>|null */
    private function find(string $username, Failure $failure): ?array
    {
        try {
            $account = $this->search->find($this->order);
            if ($account === null) {
                $found = $this->panel->find($username);
                $isOurs = $found !== null && $this->order->isMadeWithoutReference($found);
                $account = $isOurs ? $found : null;
            }
        } catch (Failure $unanswered) {
            throw $failure;
        }
        if ($account !== null) {
            $this->mayBeMade = true;
            ($this->check)($account);
        }
        return $account;
    }

    /**
     * Brings the account to what the order says now.
     *
     * @param array<string, mixed> $account
     * @return array<string, mixed>
     */
    private function update(array $account): array
    {
        [$username, $order] = [$account['username'], $this->order];
        if (!in_array($account['state'], ['active', 'provisioning'], true)) {
            throw new Failure("The account $username is there already: it is $account[state].");
        }
        if (!$order->hasDomainOf($account)) {
            throw new Failure(
                "The account $username of this order was made without the domain $order->domain:"
                    . ' add the website in the panel and repeat this, or terminate the account.'
            );
        }
        if ($order->package !== $account['package']) {
            $this->panel->changePackage($username, $order->package);
        }
        if (!$order->hasAddressOf($account)) {
            $this->panel->setEmail($username, $order->email);
        }
        // It may have another one by now; and it is done only once the create is.
        return $this->panel->setPassword($username, $order->password);
    }
}
