<?php

declare(strict_types=1);

namespace Panel\Billing;

/** The answer to one request, from whatever server. */
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

    /**
     * The seconds after which a repeat is worth while, or null where the answer does not say: those
     * of `Retry-After`, or fewer where a place in the rate limit is free sooner.
     */
    public function retryAfter(): ?int
    {
        $seconds = [];
        foreach (['retry-after', 'ratelimit-reset'] as $name) {
            $value = $this->headers[$name] ?? '';
            if (preg_match('/^\d{1,5}$/D', $value) === 1) {
                $seconds[$name] = (int) $value;
            }
        }
        $isLimited = $this->status === 429 && count($seconds) === 2;
        return $isLimited ? min($seconds) : $seconds['retry-after'] ?? null;
    }
}
