<?php

declare(strict_types=1);

namespace Panel\Billing;

use App\Models\Service;

/**
 * The account of a service, among the properties that Paymenter stores for it.
 *
 * Customers were able to send properties along with an order. So they count only with a seal, or
 * another customer's account could be ordered and signed on to.
 */
final class AccountLink implements StoredLink
{
    private const SEAL = 'panel_seal';

    // Not sealed: it is the service's own number, after a secret part.
    private const REFERENCE = 'panel_reference';

    // Under a seal of its own: there is no account yet.
    private const ATTEMPTS = 'panel_attempts';

    /** Each property, and how Paymenter's administration shows it. */
    private const NAMES = [
        'panel_username' => 'Username on the panel',
        'panel_made_at' => 'When the account was made',
        'panel_server' => 'Panel server',
        'panel_seller' => 'Seller of the account',
    ];

    private const OTHERS = [
        self::SEAL => 'Seal of the account',
        self::REFERENCE => 'Reference of the account',
        self::ATTEMPTS => 'Where a create was sent to',
    ];

    /** @param string[] $values of the properties, in their order */
    private function __construct(
        private Service $service,
        private array $values,
        private bool $isSealed,
        private string $panel,
        private string $attempts
    ) {
    }

    /**
     * @param array<string, mixed> $properties
     * @param string               $panel where the panel is
     */
    public static function of(
        Service $service,
        array $properties,
        string $panel = ''
    ): self {
        $values = array_map(
            static fn (string $name): string => (string) ($properties[$name] ?? ''),
            array_keys(self::NAMES)
        );
        $given = (string) ($properties[self::SEAL] ?? '');
        $isSealed = false;
        foreach (self::keys() as $key) {
            $isSealed = $isSealed || hash_equals(self::seal($service, $values, $key), $given);
        }
        $isSealed = $isSealed && $values[0] !== '';
        $attempts = self::opened($service, (string) ($properties[self::ATTEMPTS] ?? ''));
        return new self($service, $values, $isSealed, $panel, $attempts);
    }

    /**
     * Returns the panel's references of a service, by each of Paymenter's keys: the present one,
     * those that it had before, and one that is forgotten but was stored with the service.
     *
     * @param array<string, mixed> $properties
     * @return string[] the one that is sent comes first
     */
    public static function references(Service $service, array $properties): array
    {
        $references = array_map(
            static fn (string $key): string => 'paymenter-'
                . substr(hash_hmac('sha256', 'panel installation', $key), 0, 12) . ":$service->id",
            self::keys()
        );
        $stored = (string) ($properties[self::REFERENCE] ?? '');
        $isOwn = preg_match('/^paymenter-[0-9a-f]{12}:(\d+)$/D', $stored, $parts) === 1
            && $parts[1] === (string) $service->id;
        return $isOwn ? [$stored, ...$references] : $references;
    }

    public function save(array $account): void
    {
        $seller = Expected::seller($account);
        $values = [$account['username'], $account['created_at'], $this->panel, $seller];
        if ($this->isSealed && $this->values === $values) {
            return;
        }
        $named = array_combine(array_keys(self::NAMES), $values);
        $named[self::SEAL] = self::seal($this->service, $values, self::keys()[0]);
        $named[self::REFERENCE] = (string) ($account['reference'] ?? '');
        foreach ($named as $key => $value) {
            $this->store($key, $value);
        }
        $this->saveAttempts('');
    }

    public function attempts(): string
    {
        return $this->attempts;
    }

    public function saveAttempts(string $attempts): void
    {
        if ($attempts === $this->attempts) {
            return;
        }
        $this->attempts = $attempts;
        if ($attempts === '') {
            $this->service->properties()->where('key', self::ATTEMPTS)->delete();
            return;
        }
        $seal = self::seal($this->service, ['attempts', $attempts], self::keys()[0]);
        $this->store(self::ATTEMPTS, "$seal $attempts");
    }

    public function end(): void
    {
        foreach ([...array_keys(self::NAMES), ...array_keys(self::OTHERS)] as $key) {
            $this->service->properties()->where('key', $key)->delete();
        }
    }

    /** Returns the stored value, even if another system wrote it; '' for none. */
    public function claimed(): string
    {
        return $this->values[0];
    }

    public function isSealed(): bool
    {
        return $this->isSealed;
    }

    public function isMade(): bool
    {
        return $this->values[0] !== '';
    }

    /** Returns the server that the account is on; '' if this Paymenter has sealed none. */
    public function server(): string
    {
        return $this->isSealed ? $this->values[2] : '';
    }

    public function seller(): string
    {
        return $this->isSealed ? $this->values[3] : '';
    }

    /** Returns when the account was made; '' if this Paymenter has sealed nothing. */
    public function madeAt(): string
    {
        return $this->isSealed ? $this->values[1] : '';
    }

    /** @throws Failure without one that this Paymenter has sealed */
    public function username(): string
    {
        if ($this->isSealed) {
            return $this->values[0];
        }
        throw new Failure(
            $this->values[0] === ''
                ? 'This order has no username yet.'
                : "The username {$this->values[0]} of this order is not sealed by this Paymenter:"
                    . ' trigger Create Server, which finds the account.'
        );
    }

    public function check(array $account): void
    {
        if ($this->values[1] !== $account['created_at']) {
            throw new Failure(
                "The account $account[username] is another one than was made for this order."
                    . ' Trigger Create Server if it is the right one.'
            );
        }
    }

    private function store(string $key, string $value): void
    {
        $fields = ['name' => self::NAMES[$key] ?? self::OTHERS[$key], 'value' => $value];
        $this->service->properties()->updateOrCreate(['key' => $key], $fields);
    }

    /** Returns the sealed value; '' for none, and for a value from a customer. */
    private static function opened(Service $service, string $sealed): string
    {
        [$seal, $text] = array_pad(explode(' ', $sealed, 2), 2, '');
        foreach (self::keys() as $key) {
            if (hash_equals(self::seal($service, ['attempts', $text], $key), $seal)) {
                return $text;
            }
        }
        return '';
    }

    /** @return string[] Paymenter's key, and those that it had before */
    private static function keys(): array
    {
        return [(string) config('app.key'), ...(array) config('app.previous_keys')];
    }

    /** @param string[] $values */
    private static function seal(Service $service, array $values, string $key): string
    {
        return hash_hmac('sha256', json_encode(['panel', (string) $service->id, ...$values]), $key);
    }
}
