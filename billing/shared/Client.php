<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Calls the panel's API: each operation under a key of its own, repeated where that is safe.
 */
final class Client
{
    // Web requests of billing systems, and their jobs, end after two minutes or so.
    private const BUDGET_SECONDS = 100.0;

    private const ANSWER_SECONDS = 90.0;

    // Before each repeat of what failed: long enough together for a panel that starts anew.
    private const PAUSES_SECONDS = [0.2, 0.5, 1.5, 4.0, 8.0];

    /** Options of a client for a page that somebody waits for. */
    public const FOR_A_PAGE = ['seconds' => 20.0, 'repeats' => 2];

    /** @var Transport */
    private $transport;

    /** @var string where the panel is */
    private $address;

    /** @var string */
    private $token;

    /** @var array<string, mixed> */
    private $options;

    /** @var Secrets */
    private $secrets;

    /** @var float|null when the time is over that began with the first call */
    private $deadline;

    /**
     * @param array<string, mixed> $options any of
     *     agent:   who is calling, for the panel's own log
     *     caFile:  certificates to trust instead of the system's
     *     seconds: how long all that is asked for may take with all repeats: a client is for one
     *              operation
     *     repeats: how often what failed is tried again
     *     log:     called with what may be logged of every request, an array<string, string>
     * @throws Failure
     */
    public function __construct(
        Address $address,
        #[\SensitiveParameter]
        string $token,
        array $options = []
    ) {
        $this->options = $options + [
            'agent' => 'Panel',
            'caFile' => '',
            'seconds' => self::BUDGET_SECONDS,
            'repeats' => count(self::PAUSES_SECONDS),
            'log' => null,
        ];
        $this->address = $address->url();
        $this->token = trim($token);
        $this->secrets = new Secrets();
        $this->secrets->add($this->token);
        if (preg_match('/^[\x21-\x7e]{1,500}$/', $this->token) !== 1) {
            throw new Failure('Enter the API token of the panel server.');
        }
        $caFile = $this->options['caFile'];
        if ($caFile !== '' && !is_readable($caFile)) {
            throw new Failure("The file of certificates cannot be read: $caFile");
        }
        $this->transport = self::hasCurl()
            ? new CurlTransport($address, $caFile)
            : new StreamTransport($address, $caFile);
    }

    /** What this client has seen that no log may show. */
    public function secrets(): Secrets
    {
        return $this->secrets;
    }

    /**
     * @param string                    $path   below /api/v1
     * @param array<string, mixed>|null $fields the body
     * @return array<string, mixed> the answer
     * @throws Failure
     */
    public function call(
        string $method,
        string $path,
        #[\SensitiveParameter]
        ?array $fields = null
    ): array {
        Absence::check($this->address);
        $repeats = Absence::isKnown($this->address) ? 0 : $this->options['repeats'];
        $body = $this->encode($fields);
        $headers = $this->headers($method, $body);
        $deadline = $this->deadline();
        $failures = 0;
        $mayBeDone = false;
        while (true) {
            $answer = $lost = null;
            $isRunning = false;
            $began = self::now();
            try {
                $left = min(self::ANSWER_SECONDS, $deadline - $began);
                $answer = $this->transport->send($method, "/api/v1$path", $headers, $body, $left);
                $failure = $this->judge($answer, $method !== 'GET');
                $isRunning = $failure !== null && $failure->status() === 409;
                $pause = $this->pauseAfter($answer, $isRunning, $repeats, $failures);
            } catch (NoAnswer $lost) {
                $failure = $this->failureOf($lost);
                $pause = $lost->isTrusted ? self::pause($repeats, $failures) : null;
            }
            $this->log($method, $path, $fields ?? [], $answer, $failure, self::now() - $began);
            if ($failure === null) {
                Absence::end($this->address);
                return $answer->json() ?? [];
            }
            $mayBeDone = $mayBeDone || $failure->mayBeDone();
            // A repeat needs some time for itself too.
            if ($pause === null || self::now() + $pause + 1.0 >= $deadline) {
                $this->noteAbsence($answer, $lost, $failure);
                throw $this->final($failure, $mayBeDone);
            }
            // Work that goes on is no failure: it is waited for as long as there is time.
            $failures += $isRunning ? 0 : 1;
            usleep((int) ($pause * 1e6));
        }
    }

    // Whoever has waited in vain asks once more whether it was done all the same: that is quick, or
    // the answer would come after whoever asked has been ended.
    private function deadline(): float
    {
        $seconds = $this->options['seconds'];
        $this->deadline = $this->deadline ?? self::now() + $seconds;
        return max($this->deadline, self::now() + $seconds / 10);
    }

    /** @return string[] the same for all repeats, the key above all */
    private function headers(
        string $method,
        #[\SensitiveParameter]
        string $body
    ): array {
        $headers = [
            'Accept: application/json',
            'Authorization: Bearer ' . $this->token,
            'User-Agent: ' . $this->options['agent'],
        ];
        if ($body !== '') {
            $headers[] = 'Content-Type: application/json';
        }
        if ($method !== 'GET') {
            $headers[] = 'Idempotency-Key: ' . bin2hex(random_bytes(16));
        }
        return $headers;
    }

    private static function hasCurl(): bool
    {
        return extension_loaded('curl') && function_exists('curl_exec');
    }

    private function encode(
        #[\SensitiveParameter]
        ?array $fields
    ): string {
        if ($fields === null) {
            return '';
        }
        $this->secrets->add((string) ($fields['password'] ?? ''));
        $body = json_encode($fields, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        if ($body === false) {
            throw new Failure('What is to be sent to the panel server has to be UTF-8.');
        }
        return $body;
    }

    /** Null where the answer is one that an operation succeeds with. */
    private function judge(Answer $answer, bool $isWrite): ?Failure
    {
        $status = $answer->status;
        $json = $answer->json();
        if ($status >= 200 && $status < 300 && $json !== null) {
            if (isset($json['url'])) {
                $this->secrets->add((string) $json['url']);
            }
            return null;
        }
        if ($status >= 300 && $status < 400) {
            return new Failure(
                "The panel server answered with a redirect (HTTP $status), which is not followed."
                    . ' Check its host name and port.'
            );
        }
        $mayBeDone = $isWrite && ($status < 300 || $status === 409 || $status >= 500);
        if ($status < 400 || !is_string($json['error'] ?? null)) {
            return new Failure(
                "What answered is not a panel (HTTP $status). Check its host name and port.",
                0,
                $mayBeDone
            );
        }
        $reason = $answer->headers['x-panel-reason'] ?? '';
        return new Failure($this->line($json['error']), $status, $mayBeDone, $reason);
    }

    /** How long to wait before a repeat; null for none, as the answer is the last word. */
    private function pauseAfter(
        Answer $answer,
        bool $isRunning,
        int $repeats,
        int $failures
    ): ?float {
        $asked = (float) ($answer->retryAfter() ?? 0);
        if ($isRunning) {
            return max(1.0, $asked);
        }
        $own = $answer->status >= 500 ? self::pause($repeats, $failures) : null;
        return $own === null ? null : max($own, $asked);
    }

    private static function pause(int $repeats, int $failures): ?float
    {
        return $failures < $repeats ? self::PAUSES_SECONDS[$failures] ?? null : null;
    }

    private function noteAbsence(?Answer $answer, ?NoAnswer $lost, Failure $failure): void
    {
        if ($answer !== null && $answer->status < 500) {
            Absence::end($this->address);
        } elseif ($lost === null || $lost->isTrusted) {
            $isUnreached = $lost !== null && !$lost->mayBeDone;
            Absence::begin($this->address, $isUnreached ? $failure : null);
        }
    }

    private function failureOf(NoAnswer $lost): Failure
    {
        $reason = $this->line($lost->getMessage());
        return $lost->isTrusted
            ? new Failure("The panel server does not answer: $reason", 0, $lost->mayBeDone)
            : new Failure("The certificate of the panel server is not trusted: $reason");
    }

    // A refusal that is recorded under the key says that no try before it did anything.
    private function final(Failure $failure, bool $mayBeDone): Failure
    {
        $isJudged = in_array($failure->status(), [400, 402, 404], true);
        return new Failure(
            $failure->getMessage(),
            $failure->status(),
            $mayBeDone && !$isJudged,
            $failure->reason()
        );
    }

    /** One line without secrets, shortened. */
    private function line(string $text): string
    {
        return Text::line($this->secrets->conceal($text));
    }

    /** Names what may be seen: no person's data, and nothing secret. */
    private function log(
        string $method,
        string $path,
        #[\SensitiveParameter]
        array $fields,
        ?Answer $answer,
        ?Failure $failure,
        float $seconds
    ): void {
        if ($this->options['log'] === null) {
            return;
        }
        $sent = array_intersect_key($fields, array_flip(['username', 'package', 'domain']));
        $entry = [
            'request' => "$method /api/v1$path",
            'sent' => (string) json_encode((object) $sent, JSON_UNESCAPED_SLASHES),
            'status' => $answer === null ? 'no answer' : "HTTP $answer->status",
            'seconds' => sprintf('%.3f', $seconds),
            'said' => $failure === null ? '' : $failure->getMessage(),
        ];
        ($this->options['log'])(array_map([$this->secrets, 'conceal'], $entry));
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
