<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * For a PHP without curl: HTTP/1.1 by hand, as PHP's own wrapper for http has one time limit for
 * connecting and for the answer together.
 */
final class StreamTransport implements Transport
{
    /** @var Address */
    private $address;

    /** @var string */
    private $caFile;

    public function __construct(Address $address, string $caFile)
    {
        $this->address = $address;
        $this->caFile = $caFile;
    }

    public function send(
        string $method,
        string $path,
        array $headers,
        #[\SensitiveParameter]
        string $body,
        float $seconds
    ): Answer {
        $deadline = self::now() + $seconds;
        $lines = array_merge(
            ["$method $path HTTP/1.1", 'Host: ' . $this->address->authority(), 'Connection: close'],
            $headers,
            ['Content-Length: ' . strlen($body)]
        );
        $stream = $this->connect(min(self::CONNECT_SECONDS, $seconds));
        try {
            self::write($stream, implode("\r\n", $lines) . "\r\n\r\n" . $body, $deadline);
            return self::parse(self::read($stream, $deadline));
        } finally {
            fclose($stream);
        }
    }

    /** @return resource */
    private function connect(float $seconds)
    {
        $tls = [
            'verify_peer' => true,
            'verify_peer_name' => true,
            'allow_self_signed' => false,
            'peer_name' => $this->address->host,
        ];
        if ($this->caFile !== '') {
            $tls['cafile'] = $this->caFile;
        }
        $scheme = $this->address->isSecure ? 'tls' : 'tcp';
        $target = $scheme . '://' . $this->address->authority();
        $context = stream_context_create(['ssl' => $tls]);
        $deadline = self::now() + $seconds;
        $said = '';
        // What OpenSSL says comes as warnings only.
        set_error_handler(static function (int $_, string $warning) use (&$said): bool {
            $said .= $warning . ' ';
            return true;
        });
        try {
            $flags = STREAM_CLIENT_CONNECT;
            $stream = stream_socket_client($target, $number, $error, $seconds, $flags, $context);
        } finally {
            restore_error_handler();
        }
        if ($stream !== false) {
            return $stream;
        }
        $reason = $error !== '' ? $error : trim(preg_replace('/\w+\(\):/', '', $said));
        if (stripos($said, 'certificate') !== false || stripos($said, 'cafile') !== false) {
            throw NoAnswer::fromUntrusted($reason);
        }
        throw self::now() < $deadline
            ? new NoAnswer($reason, false)
            : NoAnswer::fromSilence($reason !== '' ? $reason : 'Not connected in time', false);
    }

    /** @param resource $stream */
    private static function write(
        $stream,
        #[\SensitiveParameter]
        string $bytes,
        float $deadline
    ): void {
        for ($sent = 0; $sent < strlen($bytes); $sent += $count) {
            self::limit($stream, $deadline);
            $count = @fwrite($stream, substr($bytes, $sent));
            if ($count === false || $count === 0) {
                throw new NoAnswer('The connection broke off', true);
            }
        }
    }

    /** @param resource $stream */
    private static function read($stream, float $deadline): string
    {
        $bytes = '';
        $length = null;
        while (!feof($stream) && ($length === null || strlen($bytes) < $length)) {
            self::limit($stream, $deadline);
            $part = @fread($stream, 65536);
            if ($part === false || stream_get_meta_data($stream)['timed_out']) {
                throw NoAnswer::fromSilence('No answer in time', true);
            }
            $bytes .= $part;
            if (strlen($bytes) > self::MAX_BYTES) {
                throw new NoAnswer('The answer is too long', true);
            }
            $length = $length ?? self::wholeLength($bytes);
        }
        return $bytes;
    }

    /** How long all of an answer is, where its headers are there and say so. */
    private static function wholeLength(string $bytes): ?int
    {
        $end = strpos($bytes, "\r\n\r\n");
        $pattern = '/^content-length: *(\d{1,10})\r$/mi';
        $isTold = $end !== false && preg_match($pattern, substr($bytes, 0, $end + 2), $parts) === 1;
        return $isTold ? $end + 4 + (int) $parts[1] : null;
    }

    private static function parse(string $bytes): Answer
    {
        $parts = explode("\r\n\r\n", $bytes, 2);
        $lines = explode("\r\n", $parts[0]);
        if (count($parts) < 2 || preg_match('~^HTTP/1\.[01] (\d{3})~', $lines[0], $status) !== 1) {
            throw new NoAnswer(
                $bytes === '' ? 'The connection broke off' : 'What answers is no web server',
                true
            );
        }
        $answer = new Answer((int) $status[1], array_slice($lines, 1), $parts[1]);
        if (stripos($answer->headers['transfer-encoding'] ?? '', 'chunked') !== false) {
            $answer->body = self::unchunked($answer->body);
        }
        if (strlen($answer->body) < (int) ($answer->headers['content-length'] ?? 0)) {
            throw new NoAnswer('The connection broke off', true);
        }
        return $answer;
    }

    private static function unchunked(string $body): string
    {
        $whole = '';
        for ($at = 0;; $at = $end + 2 + $size + 2) {
            $end = strpos($body, "\r\n", $at);
            $isNumber = $end !== false
                && preg_match('/\G([0-9a-f]{1,8})\s*(;|\r)/i', $body, $parts, 0, $at) === 1;
            $size = $isNumber ? (int) hexdec($parts[1]) : 0;
            if (!$isNumber || strlen($body) < $end + 2 + $size) {
                throw new NoAnswer('The connection broke off', true);
            }
            if ($size === 0) {
                return $whole;
            }
            $whole .= substr($body, $end + 2, $size);
        }
    }

    /** @param resource $stream */
    private static function limit($stream, float $deadline): void
    {
        $left = $deadline - self::now();
        if ($left <= 0) {
            throw NoAnswer::fromSilence('No answer in time', true);
        }
        stream_set_timeout($stream, (int) $left, (int) (($left - (int) $left) * 1e6));
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
