<?php

declare(strict_types=1);

namespace Panel\Billing;

/** Finds an order's account by its reference, among the accounts of the token's own seller. */
final class AccountSearch
{
    /** @var Client */
    private $client;

    public function __construct(Client $client)
    {
        $this->client = $client;
    }

    /**
     * @return array<string, mixed>|null the live account that has a reference of the order
     * @throws Failure
     */
    public function find(Order $order): ?array
    {
        foreach ($order->references() as $reference) {
            foreach ($this->accounts($reference) as $account) {
                return Expected::account($account, (string) $account['username']);
            }
        }
        return null;
    }

    /**
     * Whether the panel remembers that the order had this account, and that it is gone.
     *
     * @param string $madeAt distinguishes it from earlier ones of its name; '' if unknown
     */
    public function isTerminated(string $username, Order $order, string $madeAt): bool
    {
        foreach ($order->references() as $reference) {
            foreach ($this->accounts($reference, '&state=terminated') as $gone) {
                $isIt = in_array($madeAt, ['', $gone['created_at'] ?? ''], true);
                if ($gone['username'] === $username && $isIt) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the seller of the token's accounts, as Expected::seller() does. */
    public function seller(): string
    {
        return Expected::seller($this->client->call('GET', '/token'));
    }

    /** @return array<int, array<string, mixed>> */
    private function accounts(string $reference, string $more = ''): array
    {
        $path = '/accounts?reference=' . rawurlencode($reference) . $more;
        return Expected::listIn($this->client->call('GET', $path), 'accounts', 'username');
    }
}
