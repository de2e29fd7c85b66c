<?php

// The parts of Paymenter and its framework that extensions use.

namespace App\Classes\Extension {
    class Extension
    {
        public function __construct(public $config = [])
        {
        }

        public function config($key)
        {
            if (empty($this->config)) {
                // Paymenter takes the first server of this extension then; here is none.
                throw new \Error('Attempt to read property "settings" on null');
            }
            return $this->config[$key] ?? null;
        }

        public function getConfig($values = [])
        {
            return [];
        }
    }

    class Server extends Extension
    {
    }
}

namespace App\Helpers {
    use App\Models\Service;
    use PanelTest\Paymenter;

    class ExtensionHelper
    {
        public static function callService(Service $service, string $function): mixed
        {
            return Paymenter::call($function, $service);
        }
    }
}

namespace App\Attributes {
    #[\Attribute(\Attribute::TARGET_CLASS)]
    class ExtensionMeta
    {
        public function __construct(
            public string $name,
            public string $description,
            public string $version,
            public string $author,
            public string $url = '',
        ) {
        }
    }
}

namespace App\Rules {
    class Domain
    {
    }
}

namespace App\Models {
    class Product
    {
    }

    /** The properties of a service in its table, with a condition on them or without. */
    class Properties
    {
        public function __construct(private Service $service, private ?string $key = null)
        {
        }

        public function updateOrCreate(array $which, array $values): void
        {
            if (Service::$isReadOnly) {
                throw new \RuntimeException('The database is read-only');
            }
            $this->service->stored[$which['key']] = $values['value'];
        }

        public function where(string $column, string $value): self
        {
            return $column === 'key' ? new self($this->service, $value) : throw new \Error($column);
        }

        public function delete(): void
        {
            unset($this->service->stored[$this->key]);
        }
    }

    class Service
    {
        public static bool $isReadOnly = false;

        public string $status = 'pending';

        /** @var array<string, string> properties by key */
        public array $stored = [];

        /** @var object[] what was chosen of configurable options */
        public array $configs = [];

        /** @var array<string, mixed> settings of the product */
        public array $settings = [];

        public ?object $user = null;

        public ?object $order = null;

        public object $product;

        public function __construct(public int $id)
        {
            $this->product = (object) ['server' => (object) ['extension' => 'Panel']];
        }

        public function properties(): Properties
        {
            return new Properties($this);
        }
    }
}

namespace Illuminate\Support\Facades {
    use PanelTest\Recorder;

    class Log
    {
        public static function __callStatic(string $level, array $values): void
        {
            if (!in_array($level, ['debug', 'info', 'notice', 'warning', 'error'], true)) {
                throw new \BadMethodCallException($level);
            }
            Recorder::log([$level, ...$values]);
        }
    }

    class Event
    {
        /** @var array<string, callable[]> */
        public static array $listeners = [];

        public static function listen(string $name, callable $listener): void
        {
            self::$listeners[$name][] = $listener;
        }
    }

    class Cache
    {
        /** @var array<string, array{mixed, int}> with how long each is kept */
        public static array $kept = [];

        public static bool $isAway = false;

        public static function get(string $key): mixed
        {
            if (self::$isAway) {
                throw new \RuntimeException('Connection refused');
            }
            return self::$kept[$key][0] ?? null;
        }

        public static function put(string $key, mixed $value, int $seconds): void
        {
            self::$kept[$key] = [$value, $seconds];
        }
    }
}

namespace PanelTest {
    final class Session
    {
        /** @var array<string, mixed> */
        public static array $values = [];

        public function get(string $key): mixed
        {
            return self::$values[$key] ?? null;
        }

        public function put(string $key, mixed $value): void
        {
            self::$values[$key] = $value;
        }

        public function flash(string $key, mixed $value): void
        {
            self::$values[$key] = $value;
        }

        public function forget(string $key): void
        {
            unset(self::$values[$key]);
        }
    }
}

namespace {
    function config(string $name): mixed
    {
        return array_key_exists($name, PanelTest\Paymenter::$config)
            ? PanelTest\Paymenter::$config[$name]
            : throw new Error($name);
    }

    function route(string $name, int $id): string
    {
        return $name === 'services.show'
            ? "https://billing.example/services/$id"
            : throw new Error($name);
    }

    /** The requesting browser. */
    function session(): PanelTest\Session
    {
        return new PanelTest\Session();
    }

    /** A response whose content is written as it is sent. */
    final class StreamedDownload
    {
        public function __construct(
            private Closure $write,
            public string $name,
            public array $headers,
        ) {
        }

        public function content(): string
        {
            ob_start();
            ($this->write)();
            return ob_get_clean();
        }
    }

    function response(): object
    {
        return new class () {
            public function streamDownload(
                Closure $write,
                string $name,
                array $headers = [],
            ): StreamedDownload {
                return new StreamedDownload($write, $name, $headers);
            }
        };
    }
}
