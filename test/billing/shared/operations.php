<?php

// The shared classes alone, as the thinnest of modules would use them.

namespace PanelTest;

use Panel\Billing\Address;
use Panel\Billing\Client;
use Panel\Billing\Failure;
use Panel\Billing\Names;
use Panel\Billing\Order;
use Panel\Billing\Provisioning;
use Panel\Billing\Secrets;
use Panel\Billing\StoredLink;
use Panel\Billing\TimeBudget;

require_once __DIR__ . '/../../../billing/shared/autoload.php';

/** An order that the panel knows by its service, unless a test says otherwise. */
function referenced(array $values): Order
{
    return new Order($values + ['reference' => "test:$values[service]"]);
}

/** The billing system's records, as a test sets them. */
final class Link implements StoredLink
{
    private $stored;

    /** @var array<string, string> by service */
    private static $attempts = [];

    public function __construct(array $stored)
    {
        $this->stored = $stored;
    }

    public function isMade(): bool
    {
        return $this->stored['isMade'] ?? true;
    }

    public function check(array $account): void
    {
        $order = $this->stored['order'] ?? null;
        if ($order !== null && !$order->canOwn($account)) {
            $order->refuse($account);
        }
    }

    public function save(array $account): void
    {
    }

    public function seller(): string
    {
        return $this->stored['seller'] ?? '';
    }

    public function madeAt(): string
    {
        return $this->stored['madeAt'] ?? '';
    }

    public function server(): string
    {
        return $this->stored['server'] ?? '';
    }

    public function attempts(): string
    {
        return self::$attempts[$this->stored['service'] ?? ''] ?? '';
    }

    public function saveAttempts(string $attempts): void
    {
        self::$attempts[$this->stored['service'] ?? ''] = $attempts;
    }
}

return static function (): array {
    $server = [];
    $services = [];

    $provisioning = static function () use (&$server): Provisioning {
        $isSecure = $server['isSecure'] ?? true;
        $address = new Address($server['host'], $server['port'], $isSecure);
        return new Provisioning(new Client($address, $server['token'], [
            'agent' => 'Panel-Test/1.0.0',
            'caFile' => $server['caFile'] ?? '',
            'seconds' => $server['seconds'] ?? 15.0,
            'log' => [Recorder::class, 'log'],
        ]));
    };
    $outcome = static function (callable $work): array {
        try {
            return ['ok' => true, 'message' => ''] + ($work() ?? []);
        } catch (Failure $failure) {
            Recorder::log((string) $failure);
            return ['ok' => false, 'message' => $failure->getMessage()];
        }
    };
    $on = static function (string $method) use ($provisioning, $outcome, &$services): callable {
        return static function (array $values) use ($method, $provisioning, $outcome, &$services) {
            $username = $services[$values['service']] ?? '';
            unset($values['service']);
            return $outcome(static function () use ($method, $provisioning, $username, $values) {
                $result = $provisioning()->$method($username, ...array_values($values));
                return is_string($result) ? ['url' => $result] : [];
            });
        };
    };

    return [
        'connect' => static function (array $values) use (&$server): void {
            $server = $values;
        },
        'create' => static function (array $values) use ($provisioning, $outcome, &$services) {
            return $outcome(static function () use ($values, $provisioning, &$services): array {
                $link = new Link(['service' => $values['service']]);
                $account = $provisioning()->create(referenced($values), null, $link);
                $link->saveAttempts('');
                $services[$values['service']] = $account['username'];
                return ['username' => $account['username']];
            });
        },
        'suspend' => $on('suspend'),
        'unsuspend' => $on('unsuspend'),
        // The contents of an order are its module's: here it is everything that was made for it.
        'terminate' => static function (array $values) use ($provisioning, $outcome, &$services) {
            return $outcome(static function () use ($values, $provisioning, &$services): void {
                $username = $services[$values['service']] ?? '';
                $order = referenced(array_diff_key($values, ['link' => '']));
                $link = new Link(($values['link'] ?? []) + ['service' => $values['service']]);
                $provisioning()->terminate($username, $order, $link);
            });
        },
        'own' => static function (array $values) use ($provisioning, $outcome, &$services) {
            return $outcome(static function () use ($values, $provisioning, &$services): array {
                $order = referenced($values);
                $username = $services[$values['service']] ?? '';
                $link = new Link(['order' => $order]);
                return ['account' => $provisioning()->own($username, $order, $link)];
            });
        },
        'changePackage' => $on('changePackage'),
        'setPassword' => $on('setPassword'),
        'signOn' => $on('signOnLink'),
        'test' => static function () use ($provisioning, $outcome): array {
            return $outcome(static function () use ($provisioning): array {
                $provisioning()->test();
                return [];
            });
        },
        'packages' => static function () use ($provisioning, $outcome): array {
            return $outcome(static function () use ($provisioning): array {
                return ['packages' => array_keys($provisioning()->packages())];
            });
        },
        'usage' => static function () use ($provisioning, $outcome): array {
            return $outcome(static function () use ($provisioning): array {
                return ['usage' => $provisioning()->usage()];
            });
        },
        'accounts' => static function () use ($provisioning, $outcome): array {
            return $outcome(static function () use ($provisioning): array {
                return ['accounts' => $provisioning()->accounts()];
            });
        },

        'suspendAll' => static function (array $values) use ($provisioning, $outcome, &$services) {
            $suspend = static function (string $service) use ($provisioning, $outcome, &$services) {
                $username = $services[$service];
                return $outcome(static function () use ($provisioning, $username): void {
                    $provisioning()->suspend($username);
                });
            };
            $work = static function () use ($values, $suspend): array {
                return array_map($suspend, $values['services']);
            };
            return TimeBudget::within($values['seconds'], $work);
        },

        // A service without a panel.
        'address' => static function (array $values): array {
            $address = new Address($values['entered'], $values['port'], $values['isSecure']);
            return [$address->isSecure, $address->authority()];
        },
        'usernames' => static function (array $values): array {
            return Names::usernames(...array_values($values));
        },
        'domain' => static function (array $values): string {
            return Names::domain($values['entered']);
        },
        'conceal' => static function (array $values): string {
            $secrets = new Secrets();
            $secrets->add($values['secret']);
            return $secrets->conceal($values['text']);
        },
    ];
};
