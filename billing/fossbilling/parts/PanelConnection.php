<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * One of FOSSBilling's servers, as an administrator entered it.
 */
final class PanelConnection
{
    /** @var array<string, mixed> what FOSSBilling gives to a manager */
    private $config;

    /** @var callable(): object FOSSBilling's log */
    private $log;

    /**
     * @param array<string, mixed> $config
     * @param callable(): object   $log
     */
    public function __construct(
        #[\SensitiveParameter]
        array $config,
        callable $log
    ) {
        $this->config = $config;
        $this->log = $log;
    }

    /**
     * @param array<string, mixed> $options of the client
     * @throws Failure
     */
    public function panel(string $caFile, array $options = []): Provisioning
    {
        $client = new Client($this->address(), $this->token(), $options + [
            'agent' => 'Panel-FOSSBilling/@version@',
            'caFile' => is_file($caFile) ? $caFile : '',
            'log' => function (array $entry): void {
                $line = "Panel: $entry[request] $entry[sent] $entry[status]"
                    . " after $entry[seconds] s $entry[failure]";
                // Every version's log has these two, and takes a single text as it is.
                $level = $entry['failure'] === '' ? 'info' : 'notice';
                ($this->log)()->$level(rtrim($line));
            },
        ]);
        return new Provisioning($client);
    }

    /** @throws Failure */
    public function address(): Address
    {
        $port = (string) ($this->config['port'] ?? '');
        return new Address($this->host(), $port, (bool) ($this->config['secure'] ?? true));
    }

    public function host(): string
    {
        $host = trim((string) ($this->config['host'] ?? ''));
        return $host !== '' ? $host : trim((string) ($this->config['ip'] ?? ''));
    }

    public function token(): string
    {
        // Text pasted into a field may contain line breaks.
        return (string) preg_replace('/\s+/', '', (string) ($this->config['accesshash'] ?? ''));
    }
}
