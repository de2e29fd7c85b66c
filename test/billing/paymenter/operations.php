<?php

// Calls a server's extension as Paymenter does, from an order to its end.

namespace PanelTest;

use App\Attributes\ExtensionMeta;
use App\Models\Product;
use App\Models\Service;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Event;
use Paymenter\Extensions\Servers\Panel\Panel;

require_once __DIR__ . '/stubs.php';

/** Paymenter's own books: its only server, and its services. */
final class Paymenter
{
    /** @var array<string, mixed> settings of the server */
    public static array $server = [];

    /** @var array<string, mixed> the last create's values for the mail: only an array will do */
    public static array $mail = [];

    /** @var array<string, Service> */
    public static array $services = [];

    /** @var array<string, mixed> */
    public static array $config = [
        'app.key' => 'base64:key of this Paymenter',
        'app.previous_keys' => [],
        'app.version' => '1.5.8',
    ];

    /** Calls a function of the extension, with what it is given of a service each time. */
    public static function call(string $function, Service $service): mixed
    {
        $properties = $service->stored;
        foreach ($service->configs as $config) {
            $properties[$config->configOption->env_variable] = $config->configValue->env_variable;
        }
        return (new Panel(self::$server))->$function($service, $service->settings, $properties);
    }

    /** @return array<int, array<string, string>> what a service's page shows */
    public static function actions(Service $service): array
    {
        if ($service->status !== 'active') {
            return [];
        }
        try {
            return self::call('getActions', $service);
        } catch (\Exception $exception) {
            return [];
        }
    }

    /**
     * Presses a button on a service's page: only buttons that are shown do anything. A page that
     * the browser is led back to may have a message on it.
     */
    public static function press(Service $service, string $function): mixed
    {
        if (!in_array($function, array_column(self::actions($service), 'function'), true)) {
            throw new \Exception('This action is not allowed');
        }
        return self::shown(self::call($function, $service), $service);
    }

    /** Returns the browser's view of a result: a message as an exception, as others have none. */
    public static function shown(mixed $result, Service $service): mixed
    {
        $message = Session::$values['notification']['message'] ?? null;
        unset(Session::$values['notification']);
        if ($message !== null && $result !== route('services.show', $service->id)) {
            throw new \LogicException('The message is on a page that is not shown');
        }
        return $message === null ? $result : throw new \Exception($message);
    }
}

/** A user whose address was changed. */
final class Changed
{
    /** @param Service[] $services */
    public function __construct(public array $services)
    {
    }

    public function wasChanged(string $column): bool
    {
        return $column === 'email';
    }
}

return static function (string $root): array {
    spl_autoload_register(static function (string $class) use ($root): void {
        $prefix = 'Paymenter\\Extensions\\';
        if (strncmp($class, $prefix, strlen($prefix)) === 0) {
            $path = strtr(substr($class, strlen($prefix)), '\\', '/');
            require_once "$root/extensions/$path.php";
        }
    });

    $outcome = static function (callable $work): array {
        try {
            return ['ok' => true, 'message' => ''] + ($work() ?? []);
        } catch (\Exception $exception) {
            // A failed job is kept with where it failed.
            Recorder::log((string) $exception);
            return ['ok' => false, 'message' => $exception->getMessage()];
        }
    };

    /** Returns the reason of a button's failure, which only the log has. */
    $heard = static function (callable $work) use ($outcome): array {
        $done = $outcome($work);
        $lines = array_filter(array_column(array_filter(Recorder::$logged, 'is_array'), 1));
        return $done['ok'] ? $done : ['message' => (string) end($lines)] + $done;
    };

    /** A job for a service, whose status Paymenter changes whatever comes of it. */
    $job = static function (string $function, ?string $status) use ($outcome): callable {
        return static function (array $values) use ($function, $status, $outcome): array {
            $service = Paymenter::$services[$values['service']];
            $service->status = $status ?? $service->status;
            return $outcome(static function () use ($function, $service): void {
                if (Paymenter::call($function, $service) !== true) {
                    throw new \LogicException('Paymenter would take this for done');
                }
            });
        };
    };

    $order = static function (array $values): void {
        $id = $values['service'];
        $service = Paymenter::$services[$id] ?? new Service((int) $id);
        Paymenter::$services[$id] = $service;
        $user = (object) ['email' => $values['email']];
        // A service of the first releases has it in its order alone.
        if ($values['isOld'] ?? false) {
            $service->order = (object) ['user' => $user];
        } else {
            $service->user = $user;
        }
        $service->settings = ['package' => $values['package'], 'require_domain' => '1'];
        $service->stored += ['domain' => $values['domain']] + ($values['sent'] ?? []);
    };

    return [
        'connect' => static function (array $values): void {
            $isPlain = ($values['isSecure'] ?? true) === false;
            Paymenter::$server = $values === [] ? [] : [
                'host' => ($isPlain ? 'http://' : '') . $values['host'],
                'port' => (string) ($values['port'] ?? ''),
                'token' => $values['token'],
                'ca_file' => $values['caFile'] ?? null,
            ];
        },
        // Input that a customer sends with an order becomes its properties.
        'order' => $order,
        'create' => static function (array $values) use ($order, $outcome): array {
            $order($values);
            $service = Paymenter::$services[$values['service']];
            $service->status = 'active';
            return $outcome(static function () use ($service): array {
                Paymenter::$mail = Paymenter::call('createServer', $service);
                return ['username' => Paymenter::$mail['username']];
            });
        },
        'suspend' => $job('suspendServer', 'suspended'),
        'unsuspend' => $job('unsuspendServer', 'active'),
        'terminate' => $job('terminateServer', 'cancelled'),
        'changePackage' => static function (array $values) use ($job): array {
            Paymenter::$services[$values['service']]->settings['package'] = $values['package'];
            return $job('upgradeServer', null)($values);
        },
        'setPassword' => static function (array $values) use ($heard): array {
            return $heard(static function () use ($values): array {
                $service = Paymenter::$services[$values['service']];
                $functions = array_column(Paymenter::actions($service), 'function');
                // Earlier requests are still answered after a failure.
                $page = in_array('makePassword', $functions, true)
                    ? route('services.show', $service->id)
                    : Paymenter::press($service, 'resetPassword');
                if ($page !== route('services.show', $service->id)) {
                    throw new \LogicException('It has not asked');
                }
                $download = Paymenter::press($service, 'makePassword');
                preg_match('/^Password: (\S+)$/m', $download->content(), $parts);
                return ['password' => $parts[1], 'file' => $download->name];
            });
        },
        'signOn' => static function (array $values) use ($heard): array {
            return $heard(static function () use ($values): array {
                $service = Paymenter::$services[$values['service']];
                return ['url' => Paymenter::press($service, 'login')];
            });
        },
        'test' => static function (): array {
            $result = (new Panel(Paymenter::$server))->testConfig();
            return ['ok' => $result === true, 'message' => $result === true ? '' : $result];
        },
        'packages' => static function () use ($outcome): array {
            return $outcome(static function (): array {
                return ['field' => (new Panel(Paymenter::$server))->getProductConfig()[0]];
            });
        },

        'changeEmail' => static function (array $values): void {
            $service = Paymenter::$services[$values['service']];
            $service->user = (object) ['email' => $values['email']];
            $listeners = Event::$listeners['App\\Events\\User\\Updated'] ?? [];
            foreach (($values['isMissed'] ?? false) ? [] : $listeners as $listener) {
                $listener((object) ['user' => new Changed([$service])]);
            }
        },

        // Paymenter's own actions.
        'boot' => static function (): void {
            (new Panel())->boot();
        },
        'setConfig' => static function (array $values): void {
            Paymenter::$config = $values + Paymenter::$config;
        },
        'press' => static function (array $values) use ($outcome): array {
            return $outcome(static function () use ($values): array {
                $service = Paymenter::$services[$values['service']];
                return ['result' => Paymenter::press($service, $values['function'])];
            });
        },
        'elapse' => static function (array $values): void {
            $key = "panel-password-$values[service]";
            Session::$values[$key] -= $values['seconds'];
        },
        'page' => static function (array $values): array {
            return Paymenter::actions(Paymenter::$services[$values['service']]);
        },
        'mail' => static function (): array {
            return Paymenter::$mail;
        },
        'meta' => static function (): array {
            $attributes = (new \ReflectionClass(Panel::class))->getAttributes(ExtensionMeta::class);
            return get_object_vars($attributes[0]->newInstance());
        },
        'config' => static function (): array {
            return (new Panel())->getConfig();
        },
        'checkout' => static function (array $values): array {
            $fields = (new Panel())->getCheckoutConfig(new Product(), [], $values['settings']);
            $rules = array_map('get_debug_type', $fields[0]['validation']);
            return ['rules' => $rules, 'first' => $fields[0]['validation'][0]] + $fields[0];
        },
        'call' => static function (array $values) use ($outcome): array {
            return $outcome(static function () use ($values): array {
                $service = Paymenter::$services[$values['service']] ?? new Service(0);
                $result = Paymenter::call($values['function'], $service);
                return ['result' => Paymenter::shown($result, $service)];
            });
        },
        'properties' => static function (array $values): array {
            return Paymenter::$services[$values['service']]->stored;
        },
        'setStatus' => static function (array $values): void {
            Paymenter::$services[$values['service']]->status = $values['status'];
        },
        'setProperties' => static function (array $values): void {
            Paymenter::$services[$values['service']]->stored = $values['properties'];
        },
        'choose' => static function (array $values): void {
            Paymenter::$services[$values['service']]->configs = [(object) [
                'configOption' => (object) ['env_variable' => $values['option']],
                'configValue' => (object) ['env_variable' => $values['value']],
            ]];
        },
        'setReadOnly' => static function (array $values): void {
            Service::$isReadOnly = $values['isReadOnly'];
        },
        'cache' => static function (array $values): array {
            Cache::$isAway = $values['isAway'] ?? false;
            $kept = Cache::$kept;
            Cache::$kept = [];
            return $kept;
        },
    ];
};
