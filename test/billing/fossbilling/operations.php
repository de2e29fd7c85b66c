<?php

// Calls a server manager as FOSSBilling does, from an order to its end.

namespace PanelTest;

require_once __DIR__ . '/stubs.php';
require_once __DIR__ . '/system.php';

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
            $manager = FossBilling::manager($values['service']);
            return ['url' => $manager->$method($account, ...$more)];
        });
    };

    /** The same, and writes down the status that the order has then. */
    $become = static function (string $method, string $status) use ($on): callable {
        return static function (array $values) use ($on, $method, $status): array {
            $done = $on($method, $values);
            if ($done['ok']) {
                FossBilling::$services[$values['service']]['status'] = $status;
                FossBilling::store($values['service']);
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
                // Off unless a test sets it.
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

        // FOSSBilling's own actions.
        'closeBooks' => static function (): void {
            $GLOBALS['di'] = null;
            FossBilling::$isOpen = false;
        },
        'openBooks' => static function (array $values): void {
            $GLOBALS['di'] = FossBilling::$books;
            FossBilling::$isOpen = array_filter($values) === [];
            if ($values['isEmpty'] ?? false) {
                $GLOBALS['di'] = new \ArrayObject(['pdo' => new \PDO('sqlite::memory:')]);
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
                    FossBilling::manager($order)->changeAccountPackage($account, $package);
                }
            });
        },
        'call' => static function (array $values) use ($on): array {
            return $on($values['method'], $values, ...($values['with'] ?? []));
        },
        'synchronize' => static function (array $values) use ($outcome): array {
            return $outcome(static function () use ($values): array {
                $before = FossBilling::account(FossBilling::$services[$values['service']]);
                $manager = FossBilling::manager($values['service']);
                $after = $manager->synchronizeAccount($before);
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
            FossBilling::store($values['service']);
        },
        'forget' => static function (): void {
            $pdo = $GLOBALS['di']['pdo'];
            $pdo->exec("delete from extension_meta where meta_key <> 'installation'");
        },
        'setLog' => static function (array $values): void {
            FossBilling::$isLogReporting = $values['isReporting'];
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
