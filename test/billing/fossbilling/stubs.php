<?php

// FOSSBilling's classes for server managers.

use PanelTest\Recorder;

class Server_Exception extends Exception
{
    public function __construct(string $message, ?array $variables = null, int $code = 0)
    {
        parent::__construct(strtr($message, $variables ?? []), $code);
    }
}

/** Covers two generations; methods that one of them lacks throw. */
class Box_Log
{
    protected array $_extras = [];

    public function setEventItem(string $name, mixed $value): static
    {
        $this->_extras = array_merge($this->_extras, [$name => $value]);
        return $this;
    }

    public function __call(string $level, array $values): void
    {
        if (!in_array($level, ['debug', 'info', 'notice', 'alert'], true)) {
            throw new LogicException("Bad log priority: $level");
        }
        Recorder::log([$level, count($values) > 1 ? vsprintf(...$values) : $values[0]]);
    }
}

class Server_Client
{
    public function __construct(private ?string $email = null)
    {
    }

    public function getEmail(): ?string
    {
        return $this->email;
    }
}

class Server_Package
{
    public function __construct(private ?string $name = null, private array $custom = [])
    {
    }

    public function getName(): ?string
    {
        return $this->name;
    }

    public function getCustomValue(string $name): ?string
    {
        return $this->custom[$name] ?? null;
    }
}

/**
 * @method ?string getUsername()
 * @method ?string getPassword()
 */
class Server_Account
{
    private array $values = [];

    public function getPackage(): Server_Package
    {
        return $this->values['Package'];
    }

    /** A getter and a setter for each value. */
    public function __call(string $method, array $values): mixed
    {
        $names = 'Username|Password|Domain|Ip|Client|Package|Reseller|Suspended|Note';
        if (preg_match("/^(get|set)($names)\$/", $method, $parts) !== 1) {
            throw new BadMethodCallException($method);
        }
        if ($parts[1] === 'get') {
            return $this->values[$parts[2]] ?? null;
        }
        $this->values[$parts[2]] = $values[0];
        return $this;
    }
}

abstract class Server_Manager
{
    protected array $_config = [
        'ip' => null,
        'host' => null,
        'secure' => false,
        'username' => null,
        'password' => null,
        'accesshash' => null,
        'config' => null,
        'port' => null,
        'passwordLength' => null,
    ];

    private ?Box_Log $log = null;

    public function __construct(array $options)
    {
        // A null in FOSSBilling's table keeps this default.
        $this->_config = array_filter($options, fn ($value) => $value !== null) + $this->_config;
        $this->init();
    }

    protected function init()
    {
    }

    public function generateUsername(string $domain)
    {
        $letters = (string) preg_replace('/[^A-Za-z0-9]/', '', $domain);
        return substr($letters, 0, 7) . random_int(0, 9);
    }

    public function getPasswordLength(): int
    {
        return $this->_config['passwordLength'] ?? 10;
    }

    public function getLog(): ?Box_Log
    {
        return $this->log ?? new Box_Log();
    }

    public function setLog(Box_Log $log): static
    {
        $this->log = $log;
        return $this;
    }

    abstract public function getLoginUrl(?Server_Account $account);

    abstract public function getResellerLoginUrl(?Server_Account $account);

    abstract public function testConnection();

    abstract public function createAccount(Server_Account $account);

    abstract public function synchronizeAccount(Server_Account $account);

    abstract public function suspendAccount(Server_Account $account);

    abstract public function unsuspendAccount(Server_Account $account);

    abstract public function cancelAccount(Server_Account $account);

    abstract public function changeAccountPassword(Server_Account $account, string $newPassword);

    abstract public function changeAccountUsername(Server_Account $account, string $newUsername);

    abstract public function changeAccountDomain(Server_Account $account, string $newDomain);

    abstract public function changeAccountIp(Server_Account $account, string $newIp);

    abstract public function changeAccountPackage(Server_Account $account, Server_Package $package);
}
