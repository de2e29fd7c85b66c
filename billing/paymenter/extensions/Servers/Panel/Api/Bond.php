<?php

declare(strict_types=1);

namespace Panel\Billing;

use App\Models\Service;

/**
 * Which account a service has, among the properties that Paymenter keeps of it.
 *
 * Customers have been able to send properties along with an order. So they count only with a seal
 * on them, or somebody else's account could be ordered and signed on to.
 */
final class Bond
{
    private const SEAL = 'panel_seal';

    /** Each property, and how Paymenter's administration shows it. */
    private const NAMES = [
        'panel_username' => 'Username on the panel',
        'panel_made_at' => 'When the account was made',
        'panel_server' => 'Panel server',
    ];

    /** @param string[] $values of the properties, in their order */
    private function __construct(
        private Service $service,
        private array $values,
        private bool $isSealed
    ) {
    }

    /** @param array<string, mixed> $properties */
    public static function of(Service $service, array $properties): self
    {
        $values = array_map(
            static fn (string $name): string => (string) ($properties[$name] ?? ''),
            array_keys(self::NAMES)
        );
        // The first release sealed the username alone.
        $sealed = $values[1] === '' ? [$values[0]] : $values;
        $given = (string) ($properties[self::SEAL] ?? '');
        $isSealed = false;
        foreach (self::keys() as $key) {
            $isSealed = $isSealed || hash_equals(self::seal($service, $sealed, $key), $given);
        }
        return new self($service, $values, $isSealed && $values[0] !== '');
    }

    /** @param array<string, mixed> $account */
    public static function make(Service $service, array $account, string $server): void
    {
        $values = [$account['username'], $account['created_at'], $server];
        $named = array_combine(array_keys(self::NAMES), $values);
        $named[self::SEAL] = self::seal($service, $values, self::keys()[0]);
        foreach ($named as $key => $value) {
            $fields = ['name' => self::NAMES[$key] ?? 'Seal of the account', 'value' => $value];
            $service->properties()->updateOrCreate(['key' => $key], $fields);
        }
    }

    public function end(): void
    {
        foreach ([...array_keys(self::NAMES), self::SEAL] as $key) {
            $this->service->properties()->where('key', $key)->delete();
        }
    }

    /** What stands there, whoever wrote it; '' for nothing. */
    public function claimed(): string
    {
        return $this->values[0];
    }

    public function isSealed(): bool
    {
        return $this->isSealed;
    }

    /** Where the account was made; '' where the first release made it. */
    public function server(): string
    {
        return $this->values[2];
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

    /** @return callable(array<string, mixed>): void throws where an account is not the service's */
    public function checkFor(Order $order): callable
    {
        return function (array $account) use ($order): void {
            // The first release has not written down when: another may have the name by now.
            $isOurs = $this->values[1] === ''
                ? $order->canOwn($account)
                : $this->values[1] === $account['created_at'];
            if (!$isOurs) {
                throw new Failure(
                    "The account $account[username] is another one than was made for this order."
                        . ' Trigger Create Server if it is the right one.'
                );
            }
        };
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
