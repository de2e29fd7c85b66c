<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * What came back for one request, whoever sent it.
 */
final class Answer
{
    /** @var int */
    public $status;

    /** @var array<string, string> by name in lower case */
    public $headers;

    /** @var string */
    public $body;

    /** @param string[] $lines the header lines, without the status line */
    public function __construct(int $status, array $lines, string $body)
    {
        $this->status = $status;
        $this->headers = [];
        foreach ($lines as $line) {
            $parts = explode(':', $line, 2);
            if (count($parts) === 2) {
                $this->headers[strtolower(trim($parts[0]))] = trim($parts[1]);
            }
        }
        $this->body = $body;
    }

    /** @return array<string, mixed>|null null where the body is no JSON object */
    public function json(): ?array
    {
        $value = json_decode($this->body, true, 64);
        return is_array($value) && ltrim($this->body)[0] === '{' ? $value : null;
    }

    /** The seconds of `Retry-After`, or null without one. */
    public function retryAfter(): ?int
    {
        $value = $this->headers['retry-after'] ?? '';
        return preg_match('/^\d{1,4}$/', $value) === 1 ? (int) $value : null;
    }
}
