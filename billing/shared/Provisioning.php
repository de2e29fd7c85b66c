<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * What all billing systems do with accounts. Every method throws a Failure or has succeeded.
 */
final class Provisioning
{
    private const PAGE = 1000;

    /** The panel takes 500 characters, which may have four bytes each. */
    private const MAX_REASON = 500;

    /** @var Client */
    private $client;

    public function __construct(Client $client)
    {
        $this->client = $client;
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
            throw new Failure(
                'The panel server does not accept the API token. A token ends when it is revoked or'
                    . ' expires, and when its owner changes password or two-factor authentication.'
                    . ' Make a new one in the panel under My account, API tokens.',
                401
            );
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
     * Makes the account, or finds the one that an earlier try made whose answer got lost.
     *
     * @param callable|null $isFree whether a username belongs to no other order of the billing
     *                              system, as (string): bool
     * @return array<string, mixed> the account
     */
    public function create(Order $order, ?callable $isFree = null): array
    {
        $names = Names::usernames($order->domain, $order->service, $order->username);
        foreach ($names as $username) {
            if ($isFree !== null && !$isFree($username)) {
                $failure = new Failure("The username $username belongs to another order.");
                continue;
            }
            try {
                return $this->createAs($username, $order);
            } catch (Failure $failure) {
                if (!self::isNameRefused($failure)) {
                    throw $failure;
                }
            }
        }
        throw $failure;
    }

    /**
     * Under this name alone, where the billing system cannot store another one.
     *
     * @param callable|null $check throws where an account that is there is not the order's, however
     *                             much it looks like it, as (array): void
     * @return array<string, mixed> the account
     */
    public function createAs(string $username, Order $order, ?callable $check = null): array
    {
        self::path($username);
        try {
            $made = $this->client->call('POST', '/accounts', $order->toFields($username));
            return Expected::account($made, $username);
        } catch (Failure $failure) {
            $mayBeMade = $failure->status() === 400 || $failure->mayBeDone();
            $account = $mayBeMade ? $this->findMadeAs($username, $order, $failure) : null;
            if ($account === null) {
                throw $failure;
            }
            if ($check !== null) {
                $check($account);
            }
            // It may have another one by now; and it is done only once the create is.
            return $this->setPassword($username, $order->password);
        }
    }

    /**
     * The account of an order, for whatever is to be done with it next. If its client has another
     * e-mail address by now, the account gets it.
     *
     * @param callable $check throws where an account is not the order's, as (array): void
     * @return array<string, mixed>
     */
    public function own(string $username, Order $order, callable $check): array
    {
        $account = $this->onAccount('GET', $username);
        $check($account);
        if ($order->hasAddressOf($account)) {
            return $account;
        }
        try {
            return $this->setEmail($username, $order->email);
        } catch (Failure $failure) {
            // What was asked for matters more; the next operation tries again, and the log has it.
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
     * An account that is not there is terminated already.
     *
     * @param callable $check     throws where an account is not the order's, as (array): void
     * @param string   $elsewhere another panel server, where it was made: it may be there still
     */
    public function terminate(string $username, callable $check, string $elsewhere = ''): void
    {
        try {
            $check($this->onAccount('GET', $username));
            $this->onAccount('DELETE', $username);
        } catch (Failure $failure) {
            if ($failure->status() !== 404) {
                throw $failure;
            }
            // Something else than the panel may have said so: only a panel knows the token.
            $this->packages();
            if ($elsewhere !== '') {
                throw new Failure("The account $username was made on another server: $elsewhere");
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

    /** Valid once and for 60 seconds: to be made when somebody clicks. */
    public function signOnLink(string $username): string
    {
        $answer = $this->client->call('POST', self::path($username, '/login'));
        $url = $answer['url'] ?? null;
        $pattern = '~^(https?)://[^\s\x00-\x1f"<>\\\\]+$~iD';
        if (!is_string($url) || preg_match($pattern, $url, $parts) !== 1) {
            throw new Failure('The panel server sent no sign-on link.');
        }
        if (strtolower($parts[1]) !== 'https') {
            // A panel on loopback, for a try, has no certificate.
            new Address((string) preg_replace('~^(\w+://[^/]+).*$~', '$1', $url));
        }
        return $url;
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

    /** @return array<string, mixed>|null */
    private function findMadeAs(string $username, Order $order, Failure $failure): ?array
    {
        try {
            $account = $this->find($username);
        } catch (Failure $unanswered) {
            throw $failure;
        }
        if ($account === null || !$order->isMadeAs($account)) {
            return null;
        }
        if (!in_array($account['state'], ['active', 'provisioning'], true)) {
            throw new Failure("The account $username is there already: it is $account[state].");
        }
        return $account;
    }

    // Another name may do.
    private static function isNameRefused(Failure $failure): bool
    {
        return in_array($failure->reason(), ['username_taken', 'username_reserved'], true);
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
