<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The address of a panel, as an administrator entered it: always https, except on loopback.
 */
final class Address
{
    private const DEFAULT_PORT = 8443;

    /** @var bool */
    public $isSecure;

    /** @var string without brackets */
    public $host;

    /** @var int */
    public $port;

    /**
     * @param string     $entered  a host, with or without a port, or a whole address
     * @param string|int $port     what a field of its own says; the entered address goes first
     * @param bool       $isSecure false asks for plain http, which only loopback gets
     * @throws Failure where nothing can be made of it
     */
    public function __construct(string $entered, $port = '', bool $isSecure = true)
    {
        $entered = trim($entered);
        $pattern = '~^(?:(https?)://)?(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::(\d{1,5}))?/?$~i';
        if (filter_var($entered, FILTER_VALIDATE_IP, FILTER_FLAG_IPV6) !== false) {
            $entered = "[$entered]";
        }
        if (preg_match($pattern, $entered, $parts) !== 1) {
            throw new Failure(
                $entered === ''
                    ? 'Enter the host name of the panel server.'
                    : 'The address of the panel server has to be a host name and a port alone.'
            );
        }
        $this->host = strtolower($parts[2] !== '' ? $parts[2] : $parts[3]);
        $this->port = (int) ($parts[4] ?? '') ?: (int) $port ?: self::DEFAULT_PORT;
        $scheme = strtolower($parts[1]);
        if ($scheme === 'http' && !$this->isLoopback()) {
            throw new Failure('The panel server is reached by https only.');
        }
        // Billing systems leave the choice of TLS off by default: it counts on loopback only.
        $this->isSecure = $scheme === 'https' || !$this->isLoopback()
            || ($scheme === '' && $isSecure);
        if ($this->port > 65535) {
            throw new Failure('The port of the panel server is 1 to 65535.');
        }
    }

    /** The host as it stands in addresses. */
    public function name(): string
    {
        return strpos($this->host, ':') === false ? $this->host : "[$this->host]";
    }

    /** As it stands in addresses and in the Host header. */
    public function authority(): string
    {
        return $this->name() . ":$this->port";
    }

    /** The address for browsers. */
    public function url(): string
    {
        return ($this->isSecure ? 'https://' : 'http://') . $this->authority() . '/';
    }

    public function isLoopback(): bool
    {
        return $this->host === 'localhost' || $this->host === '::1'
            || preg_match('/^127(\.\d{1,3}){3}$/', $this->host) === 1;
    }
}
