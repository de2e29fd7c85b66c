<?php

// What FOSSBilling does with a server manager, from an order to its end.

namespace PanelTest;

require_once __DIR__ . '/stubs.php';

/** FOSSBilling's own books: its only server, and the services of its orders. */
final class FossBilling
{
    public const ASTERISKS = '********';

    /** @var array<string, mixed> as it hands it to a manager */
    public static array $server = [];

    /** @var array<string, array<string, mixed>> by order */
    public static array $services = [];

    public static function open(): void
    {
        $database = new \PDO('sqlite::memory:');
        $database->exec(
            'create table client (id integer primary key, email text unique);
             create table extension_meta (
               id integer primary key, client_id integer, extension text, rel_type text,
               rel_id text, meta_key text, meta_value text, created_at text, updated_at text)'
        );
        $GLOBALS['di'] = new \ArrayObject(['pdo' => $database]);
    }

    /** Whoever orders is a client. */
    public static function register(string $email): void
    {
        $sql = 'insert or ignore into client (email) values (?)';
        $GLOBALS['di']['pdo']->prepare($sql)->execute([$email]);
    }

    /** Of a client, and so of all orders. */
    public static function changeEmail(string $from, string $to): void
    {
        $statement = $GLOBALS['di']['pdo']->prepare('update client set email = ? where email = ?');
        $statement->execute([$to, $from]);
        foreach (self::$services as &$service) {
            $service['email'] = $service['email'] === $from ? $to : $service['email'];
        }
    }

    public static function manager(): \Server_Manager
    {
        $manager = new \Server_Manager_Panel(self::$server);
        $manager->setLog(new \Box_Log());
        return $manager;
    }

    /** Made anew for each call, of what is stored. */
    public static function account(array $service): \Server_Account
    {
        return (new \Server_Account())
            ->setUsername($service['username'])
            ->setPassword($service['password'])
            ->setDomain($service['domain'])
            ->setReseller($service['reseller'] ?? false)
            ->setIp('192.0.2.1')
            ->setClient(new \Server_Client($service['email']))
            ->setPackage(self::package($service['package']));
    }

    public static function package(string $plan): \Server_Package
    {
        // Of a plan with a name for customers the package is among its own settings.
        return $plan === 'bigger'
            ? new \Server_Package('For the bigger shop', ['package' => 'bigger'])
            : new \Server_Package($plan);
    }

    /** Sets an order up: what it has made up of name and password counts only if that succeeds. */
    public static function activate(array $order): void
    {
        $service = ['username' => null, 'password' => $order['password']] + $order;
        $isCancelled = (self::$services[$order['service']]['status'] ?? '') === 'cancelled';
        $service['username'] = $isCancelled
            ? self::$services[$order['service']]['username']
            : ($order['username'] ?? self::manager()->generateUsername($order['domain']));
        self::manager()->createAccount(self::account($service));
        $stored = ['password' => self::ASTERISKS, 'status' => 'active'];
        self::$services[$order['service']] = $stored + $service;
    }

    /** Whether the panel hears of what changes: only of what is active, and has not expired. */
    public static function performs(string $order): bool
    {
        return self::$services[$order]['status'] === 'active';
    }
}

return static function (string $root): array {
    require_once "$root/library/Server/Manager/Panel.php";
    FossBilling::open();

    $outcome = static function (callable $work): array {
        try {
            return ['ok' => true, 'message' => ''] + ($work() ?? []);
        } catch (\Server_Exception $exception) {
            // FOSSBilling writes down what it shows, with where it came from.
            Recorder::log((string) $exception);
            return ['ok' => false, 'message' => $exception->getMessage()];
        }
    };

    /** Calls a manager for an order, with an account made of what is stored. */
    $on = static function (string $method, array $values, ...$more) use ($outcome): array {
        return $outcome(static function () use ($method, $values, $more): array {
            $account = FossBilling::account(FossBilling::$services[$values['service']]);
            $account->setNote($values['reason'] ?? null);
            $result = FossBilling::manager()->$method($account, ...$more);
            return ['url' => $result];
        });
    };

    /** The same, and writes down the status that the order has then. */
    $become = static function (string $method, string $status) use ($on): callable {
        return static function (array $values) use ($on, $method, $status): array {
            $done = $on($method, $values);
            if ($done['ok']) {
                FossBilling::$services[$values['service']]['status'] = $status;
            }
            return ['url' => ''] + $done;
        };
    };

    return [
        'connect' => static function (array $values): void {
            FossBilling::$server = [
                'ip' => '192.0.2.1',
                'host' => $values['host'],
                'port' => isset($values['port']) ? (string) $values['port'] : null,
                'config' => $values['config'] ?? [],
                // Off, unless somebody has thought of it.
                'secure' => $values['isSecure'] ?? false,
                'username' => null,
                'password' => null,
                'accesshash' => $values['token'] . "\n",
                'passwordLength' => null,
            ];
        },
        'create' => static function (array $values) use ($outcome): array {
            FossBilling::register($values['email']);
            return $outcome(static function () use ($values): array {
                FossBilling::activate($values);
                return ['username' => FossBilling::$services[$values['service']]['username']];
            });
        },
        'suspend' => $become('suspendAccount', 'suspended'),
        'unsuspend' => $become('unsuspendAccount', 'active'),
        'terminate' => $become('cancelAccount', 'cancelled'),
        'changePackage' => static function (array $values) use ($on): array {
            $package = FossBilling::package($values['package']);
            return $on('changeAccountPackage', $values, $package);
        },
        'setPassword' => static function (array $values) use ($on): array {
            return $on('changeAccountPassword', $values, $values['password']);
        },
        'signOn' => static function (array $values) use ($on): array {
            return $on('getLoginUrl', $values);
        },
        'test' => static function () use ($outcome): array {
            return $outcome(static function (): array {
                return ['result' => FossBilling::manager()->testConnection()];
            });
        },

        'changeEmail' => static function (array $values): void {
            $former = FossBilling::$services[$values['service']]['email'];
            FossBilling::changeEmail($former, $values['email']);
        },

        // What only FOSSBilling does.
        'closeBooks' => static function (): void {
            $GLOBALS['di'] = null;
        },
        'openBooks' => static function (array $values): void {
            FossBilling::open();
            if ($values['isEmpty'] ?? false) {
                $GLOBALS['di']['pdo']->exec('drop table client; drop table extension_meta');
            }
            if ($values['isAway'] ?? false) {
                $GLOBALS['di'] = new class () extends \ArrayObject {
                    public function offsetExists(mixed $name): bool
                    {
                        return true;
                    }

                    public function offsetGet(mixed $name): mixed
                    {
                        throw new \PDOException('SQLSTATE[HY000] [2002] Connection refused', 2002);
                    }
                };
            }
        },
        'form' => static function (): array {
            return \Server_Manager_Panel::getForm();
        },
        'changePlan' => static function (array $values) use ($outcome): array {
            return $outcome(static function () use ($values): void {
                $order = $values['service'];
                FossBilling::$services[$order]['package'] = $values['package'];
                if (FossBilling::performs($order)) {
                    $account = FossBilling::account(FossBilling::$services[$order]);
                    $package = FossBilling::package($values['package']);
                    FossBilling::manager()->changeAccountPackage($account, $package);
                }
            });
        },
        'call' => static function (array $values) use ($on): array {
            return $on($values['method'], $values, ...($values['with'] ?? []));
        },
        'synchronize' => static function (array $values) use ($outcome): array {
            return $outcome(static function () use ($values): array {
                $before = FossBilling::account(FossBilling::$services[$values['service']]);
                $after = FossBilling::manager()->synchronizeAccount($before);
                return [
                    'isClone' => $after !== $before,
                    'username' => $after->getUsername(),
                    'ip' => $after->getIp(),
                    'isSuspended' => $after->getSuspended(),
                ];
            });
        },
        'set' => static function (array $values): void {
            $fields = $values['fields'];
            FossBilling::$services[$values['service']] = $fields
                + (FossBilling::$services[$values['service']] ?? []);
        },
        // For the list of servers, which is drawn often.
        'addresses' => static function () use ($outcome): array {
            return $outcome(static function (): array {
                $manager = FossBilling::manager();
                return [
                    'login' => $manager->getLoginUrl(null),
                    'reseller' => $manager->getResellerLoginUrl(null),
                    'port' => $manager->getPort(),
                ];
            });
        },
        'usernames' => static function (array $values): array {
            $manager = FossBilling::manager();
            return array_map([$manager, 'generateUsername'], $values['domains']);
        },
        // Every method, with an account that has nothing in it.
        'empty' => static function (array $values) use ($outcome): array {
            return $outcome(static function () use ($values): array {
                $account = (new \Server_Account())->setPackage(new \Server_Package());
                $more = ['changeAccountPackage' => [new \Server_Package()]];
                $with = $more[$values['method']] ?? array_fill(0, $values['with'], '');
                $manager = FossBilling::manager();
                return ['result' => $manager->{$values['method']}($account, ...$with)];
            });
        },
        'unconfigured' => static function (array $values): array {
            try {
                new \Server_Manager_Panel($values['options']);
                return [];
            } catch (\Server_Exception $exception) {
                return [$exception->getMessage(), $exception->getCode()];
            }
        },
    ];
};
