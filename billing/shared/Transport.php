<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Sends one request, once, by PHP's curl. Verifies TLS always and never follows a redirect.
 */
final class Transport
{
    /** Longer than any network takes to connect; a server that has not by then is away. */
    private const CONNECT_SECONDS = 5.0;

    /** More than the usage of half a million accounts. */
    private const MAX_BYTES = 67108864;

    // libcurl's numbers, as PHP has no names for all of them: no such host, no connection, no TLS.
    private const UNSENT = [5, 6, 7, 35];

    // The server's certificate, or the file of certificates to trust, is not what it has to be.
    private const UNTRUSTED = [51, 58, 60, 77, 83];

    /** @var Address */
    private $address;

    /** @var string a file of certificates to trust instead of the system's; '' for the system's */
    private $caFile;

    /** @var resource|\CurlHandle|null keeps its connection for the next request */
    private $handle;

    /** @throws Failure */
    public function __construct(Address $address, string $caFile)
    {
        if (!extension_loaded('curl') || !function_exists('curl_exec')) {
            throw new Failure('PHP has no curl here: install and allow its extension «curl».');
        }
        $this->address = $address;
        $this->caFile = $caFile;
    }

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
    ): Answer {
        $lines = [];
        $received = '';
        $options = [
            CURLOPT_URL => rtrim($this->address->url(), '/') . $path,
            CURLOPT_CUSTOMREQUEST => $method,
            // Without waiting for «100 Continue» first.
            CURLOPT_HTTPHEADER => array_merge($headers, ['Expect:']),
            CURLOPT_CONNECTTIMEOUT_MS => (int) (1000 * min(self::CONNECT_SECONDS, $seconds)),
            CURLOPT_TIMEOUT_MS => (int) (1000 * $seconds),
            CURLOPT_NOSIGNAL => true,
            // On a connection that was used before, libcurl sends a lost request again by itself,
            // and it would stay unknown that the first one may be done.
            CURLOPT_FRESH_CONNECT => $method !== 'GET',
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => $this->address->isSecure ? CURLPROTO_HTTPS : CURLPROTO_HTTP,
            // A proxy named by the environment would see the token of a plain request.
            CURLOPT_PROXY => '',
            CURLOPT_SSL_VERIFYPEER => true,
            CURLOPT_SSL_VERIFYHOST => 2,
            CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$lines): int {
                // A new status line begins the answer that counts.
                $lines = strncmp($line, 'HTTP/', 5) === 0 ? [] : array_merge($lines, [$line]);
                return strlen($line);
            },
            CURLOPT_WRITEFUNCTION => static function ($_, string $part) use (&$received): int {
                $received .= $part;
                return strlen($received) > self::MAX_BYTES ? 0 : strlen($part);
            },
        ];
        if ($body !== '') {
            $options[CURLOPT_POSTFIELDS] = $body;
        }
        if ($this->caFile !== '') {
            $options[CURLOPT_CAINFO] = $this->caFile;
        }
        if ($this->handle === null) {
            $this->handle = curl_init();
        } else {
            curl_reset($this->handle);
        }
        curl_setopt_array($this->handle, $options);
        curl_exec($this->handle);
        $error = curl_errno($this->handle);
        if ($error !== 0) {
            throw $this->failureOf($error, curl_error($this->handle));
        }
        return new Answer(curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE), $lines, $received);
    }

    private function failureOf(int $error, string $reason): NoAnswer
    {
        if (in_array($error, self::UNTRUSTED, true)) {
            return NoAnswer::fromUntrusted($reason);
        }
        // Running out of time before anything was sent is a failure to connect.
        $isUnsent = in_array($error, self::UNSENT, true)
            || curl_getinfo($this->handle, CURLINFO_PRETRANSFER_TIME) <= 0.0;
        return $error === CURLE_OPERATION_TIMEOUTED
            ? NoAnswer::fromSilence($reason, !$isUnsent)
            : new NoAnswer($reason, !$isUnsent);
    }
}
