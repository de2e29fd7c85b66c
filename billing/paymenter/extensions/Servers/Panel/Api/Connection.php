<?php

declare(strict_types=1);

namespace Panel\Billing;

use Illuminate\Support\Facades\Log;

/**
 * One of Paymenter's servers, as an administrator entered it.
 */
final class Connection
{
    public function __construct(
        private string $host,
        private string $port,
        #[\SensitiveParameter]
        private string $token,
        private string $caFile
    ) {
    }

    /**
     * @param array<string, mixed> $options of the client
     * @throws Failure
     */
    public function panel(array $options = []): Provisioning
    {
        $client = new Client($this->address(), $this->token, $options + [
            'agent' => 'Panel-Paymenter/@version@',
            'caFile' => trim($this->caFile),
            'log' => static function (array $entry): void {
                $line = "Panel: $entry[request] $entry[sent] $entry[status]"
                    . " after $entry[seconds] s $entry[failure]";
                $isRead = strncmp($entry['request'], 'GET ', 4) === 0;
                $level = $entry['failure'] !== '' ? 'warning' : ($isRead ? 'debug' : 'info');
                Log::$level(rtrim($line));
            },
        ]);
        return new Provisioning($client);
    }

    /** @throws Failure */
    public function url(): string
    {
        return $this->address()->url();
    }

    private function address(): Address
    {
        return new Address($this->host, $this->port);
    }
}
