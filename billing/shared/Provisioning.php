<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The operations of all billing systems on accounts. Every method throws a Failure or has
 * succeeded.
 */
final class Provisioning
{
    private const PAGE = 1000;

    /** The panel takes 500 characters, which may have four bytes each. */
    private const MAX_REASON = 500;

    /** @var Client */
    private $client;

    /** @var AccountSearch */
    public $search;

    public function __construct(Client $client)
    {
        $this->client = $client;
        $this->search = new AccountSearch($client);
    }

    /** Whether panel and token are what they have to be; the failure says what to do. */
    public function test(): void
    {
        try {
            $this->packages();
        } catch (Failure $failure) {
            if ($failure->status() !== 401) {
                throw $failure;
            }
            throw Failure::ofToken();
        }
    }

    /** @return array<string, string> what the token may sell: each name with what is in it */
    public function packages(): array
    {
        $packages = [];
        foreach ($this->listOf('/packages', 'name') as $package) {
            $packages[$package['name']] = Names::ofPackage($package);
        }
        return $packages;
    }

    /**
     * Makes the account, or finds the one that an earlier attempt made whose answer got lost.
     *
     * @param callable|null $isFree whether a username belongs to no other order of the billing
     *                              system, as (string): bool
     * @return array<string, mixed> the account
     */
    public function create(
        Order $order,
        ?callable $isFree = null,
        ?StoredLink $link = null
    ): array {
        $check = static function (array $account) use ($isFree): void {
            if ($isFree !== null && !$isFree($account['username'])) {
                throw AccountCreation::isOthers($account['username']);
            }
        };
        $attempts = $link === null ? null : $this->attempts($link);
        $creation = new AccountCreation($this, $this->search, $order, $check, $attempts);
        $names = Names::usernames($order->domain, $order->service, $order->username);
        return $creation->runAny($names, $isFree);
    }

    /**
     * Under this name alone, where the billing system cannot store another one.
     *
     * @return array<string, mixed> the account
     */
    public function createAs(string $username, Order $order, StoredLink $link): array
    {
        $isIt = static function (array $account) use ($username, $order, $link): void {
            $order->isNamed($account, $username);
            if (!$order->isReferenceOf($account)) {
                $link->check($account);
            }
        };
        $attempts = $this->attempts($link);
        $creation = new AccountCreation($this, $this->search, $order, $isIt, $attempts);
        return $creation->runAny([$username], null);
    }

    /** The creates of an order, as the module has recorded them before they were sent. */
    public function attempts(StoredLink $link): CreateAttempts
    {
        return new CreateAttempts($link, $this->search, $this->client);
    }

    /**
     * Asks for the account, once: AccountCreation knows what a failure means.
     *
     * @return array<string, mixed>
     */
    public function make(string $username, Order $order): array
    {
        self::path($username);
        $made = $this->client->call('POST', '/accounts', $order->toFields($username));
        return Expected::account($made, $username);
    }

    /**
     * The account of an order, for whatever is to be done with it next. If its client has another
     * e-mail address by now, the account gets it.
     *
     * @return array<string, mixed>
     * @throws Failure where it is not the order's
     */
    public function own(string $username, Order $order, StoredLink $link): array
    {
        $account = $this->onAccount('GET', $username);
        self::claim($account, $order, $link);
        if ($order->hasAddressOf($account)) {
            return $account;
        }
        try {
            return $this->setEmail($username, $order->email);
        } catch (Failure $failure) {
            // The request itself matters more; the next operation repeats this, and the log has it.
            return $account;
        }
    }

    public function suspend(string $username, string $reason = ''): void
    {
        $reason = Text::line($reason, self::MAX_REASON);
        $fields = $reason === '' ? null : ['reason' => $reason];
        $this->onAccount('POST', $username, '/suspend', $fields);
    }

    public function unsuspend(string $username): void
    {
        $this->onAccount('POST', $username, '/unsuspend');
    }

    /**
     * An account that is gone is terminated already, where that is proved.
     *
     * @throws Failure where it is not the order's, or may be there although the token sees none
     */
    public function terminate(string $username, Order $order, StoredLink $link): void
    {
        // The billing system has not heard which name its account got, if it has one.
        $account = $link->isMade() ? null : $this->search->find($order);
        if ($account === null && $username !== '') {
            $account = $this->find($username);
        }
        if ($account === null) {
            $proof = new TerminationProof($this, $this->search, $this->client->address());
            $proof->demand($username, $order, $link);
            return;
        }
        self::claim($account, $order, $link);
        $this->remove($account['username']);
    }

    /** An account that the same token has just seen, and that is known to be the order's. */
    public function remove(string $username): void
    {
        try {
            $this->onAccount('DELETE', $username);
        } catch (Failure $failure) {
            if ($failure->status() !== 404) {
                throw $failure;
            }
        }
    }

    public function changePackage(string $username, string $package): void
    {
        $this->onAccount('PUT', $username, '/package', ['package' => $package]);
    }

    /** @return array<string, mixed> the account */
    public function setEmail(string $username, string $email): array
    {
        return $this->onAccount('PATCH', $username, '', ['email' => $email]);
    }

    /** @return array<string, mixed> the account */
    public function setPassword(
        string $username,
        #[\SensitiveParameter]
        string $password
    ): array {
        return $this->onAccount('PUT', $username, '/password', ['password' => $password]);
    }

    /** Valid once and for 60 seconds: create it when a user clicks. */
    public function signOnLink(string $username): string
    {
        return Expected::link($this->client->call('POST', self::path($username, '/login')));
    }

    /** @return array<string, mixed>|null the account, or null where the token sees none */
    public function find(string $username): ?array
    {
        try {
            return $this->onAccount('GET', $username);
        } catch (Failure $failure) {
            if ($failure->status() !== 404) {
                throw $failure;
            }
            return null;
        }
    }

    /** @return array<int, array<string, mixed>> every account that the token sees */
    public function accounts(): array
    {
        $accounts = [];
        $after = null;
        do {
            $from = $after === null ? '' : '&after=' . rawurlencode($after);
            $page = $this->client->call('GET', '/accounts?limit=' . self::PAGE . $from);
            $accounts = array_merge($accounts, Expected::listIn($page, 'accounts', 'username'));
            $after = $page['next'] ?? null;
        } while ($after !== null);
        return $accounts;
    }

    /** @return array<string, mixed> disk and bandwidth of one account, in MB */
    public function usageOf(string $username): array
    {
        return $this->client->call('GET', self::path($username, '/usage'));
    }

    /** @return array<int, array<string, mixed>> what was asked for an account, the latest first */
    public function jobsOf(string $username, int $limit): array
    {
        $answer = $this->client->call('GET', self::path($username, "/jobs?limit=$limit"));
        return Expected::listIn($answer, 'jobs', 'state');
    }

    /** @return array<string, array<string, mixed>> of all accounts in one call, by username */
    public function usage(): array
    {
        return array_column($this->listOf('/usage', 'username'), null, 'username');
    }

    // A username comes back, and e-mail addresses and domains change: a reference does neither.
    private static function claim(array $account, Order $order, StoredLink $link): void
    {
        if (!$order->isReferenceOf($account)) {
            $link->check($account);
        }
        $link->save($account);
    }

    private static function path(string $username, string $rest = ''): string
    {
        if (!Names::isUsername($username)) {
            throw new Failure(
                $username === ''
                    ? 'This order has no username yet.'
                    : 'The username of this order is none that the panel can have.'
            );
        }
        return "/accounts/$username$rest";
    }

    /**
     * @param array<string, mixed>|null $fields
     * @return array<string, mixed> the account as it is then
     */
    private function onAccount(
        string $method,
        string $username,
        string $rest = '',
        #[\SensitiveParameter]
        ?array $fields = null
    ): array {
        $answer = $this->client->call($method, self::path($username, $rest), $fields);
        return Expected::account($answer, $username);
    }

    /** @return array<int, array<string, mixed>> what is listed at a path under its own name */
    private function listOf(string $path, string $key): array
    {
        return Expected::listIn($this->client->call('GET', $path), substr($path, 1), $key);
    }
}
