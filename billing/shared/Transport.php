<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Sends one request, once. Verifies TLS always and never follows a redirect.
 */
interface Transport
{
    /** Longer than any network takes to connect; a server that has not by then is away. */
    public const CONNECT_SECONDS = 5.0;

    /** More than the usage of half a million accounts. */
    public const MAX_BYTES = 67108864;

    /**
     * @param string[] $headers whole lines
     * @param float    $seconds until the whole answer has to be there
     * @throws NoAnswer
     */
    public function send(
        string $method,
        string $path,
        array $headers,
        #[\SensitiveParameter]
        string $body,
        float $seconds
    ): Answer;
}
