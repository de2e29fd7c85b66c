<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The account of a service of WHMCS, as the module has recorded it.
 */
final class Ownership implements StoredLink
{
    /** @var Parameters */
    private $given;

    /** @var string where the service's server is */
    private $here;

    public function __construct(Parameters $given)
    {
        $this->given = $given;
        $this->here = $given->address()->url();
    }

    public function isMade(): bool
    {
        return $this->given->status() !== 'Pending' || Accounts::of($this->given) !== null;
    }

    public function check(array $account): void
    {
        [$given, $username] = [$this->given, $account['username']];
        $server = $given->id('serverid');
        $services = Accounts::servicesOf($server, $username, $account['created_at']);
        if (in_array($given->service(), $services, true)) {
            return;
        }
        if (!Hosting::isFree($username, $given)) {
            throw new Failure("The account $username belongs to another service.");
        }
        $order = $given->order();
        if (!$this->canBe($order, $account)) {
            $order->refuse($account);
        }
    }

    public function save(array $account): void
    {
        Accounts::save($this->given, $account, $this->here);
        Accounts::saveAttempts($this->given, '');
        Hosting::saveUsername($this->given, $account['username']);
    }

    public function seller(): string
    {
        return (string) (Accounts::of($this->given)['seller'] ?? '');
    }

    public function madeAt(): string
    {
        return (string) (Accounts::of($this->given)['created_at'] ?? '');
    }

    public function server(): string
    {
        $stored = Accounts::of($this->given);
        $server = (int) ($stored['server'] ?? 0);
        return in_array($server, [0, $this->given->id('serverid')], true)
            ? (string) ($stored['panel'] ?? '')
            : "number $server";
    }

    public function attempts(): string
    {
        return Accounts::attemptsOf($this->given);
    }

    public function saveAttempts(string $attempts): void
    {
        Accounts::saveAttempts($this->given, $attempts);
    }

    /**
     * Returns whether an account of which nothing is recorded, such as one of the server sync, can
     * be the service's.
     *
     * @param array<string, mixed> $account
     */
    private function canBe(Order $order, array $account): bool
    {
        $given = $this->given;
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
