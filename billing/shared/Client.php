<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Calls the panel's API: each operation under a key of its own, repeated where that is safe.
 */
final class Client
{
    /** All that one service may cost a billing run, with every request and repeat. */
    private const BUDGET_SECONDS = 15.0;

    // For one answer. The panel is asked for one sooner, and continues the work (Prefer: wait).
    private const ANSWER_SECONDS = 10.0;

    private const ANSWER_RESERVE_SECONDS = 2.0;

    // A server that says nothing for so long is away.
    private const SILENCE_SECONDS = 2.5;

    /** Options of a client for a page that a person waits for. */
    public const FOR_A_PAGE = ['seconds' => 5.0, 'repeats' => 2];

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

    /** @var TimeBudget */
    private $budget;

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
            'repeats' => Repeats::MOST,
            'log' => null,
        ];
        $this->budget = new TimeBudget((float) $this->options['seconds']);
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
        $this->transport = new Transport($address, $caFile);
    }

    /** Returns the secrets that this client has seen, which no log may show. */
    public function secrets(): Secrets
    {
        return $this->secrets;
    }

    /** Identifies this panel and token without revealing the token. */
    public function fingerprint(): string
    {
        return hash('sha256', "$this->address $this->token");
    }

    /** Returns the address of the panel, as Address::url() does. */
    public function address(): string
    {
        return $this->address;
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
        MissingAccount::check($this->address);
        $isMissing = MissingAccount::isKnown($this->address);
        $repeats = new Repeats($isMissing ? 0 : $this->options['repeats']);
        $isWrite = $method !== 'GET';
        $body = $this->encode($fields);
        $headers = $this->headers($isWrite, $body);
        $mayBeDone = false;
        while (true) {
            $answer = $lost = null;
            $isRunning = false;
            $began = TimeBudget::now();
            $left = min(self::ANSWER_SECONDS, $this->budget->left($isWrite));
            if ($left < TimeBudget::MIN_SECONDS) {
                $failure = new Failure('The panel server has taken too long: try again later.');
                $this->log($method, $path, $fields ?? [], null, $failure, 0.0);
                throw $failure;
            }
            try {
                $sent = $isWrite ? array_merge($headers, [self::wait($left)]) : $headers;
                $answer = $this->transport->send($method, "/api/v1$path", $sent, $body, $left);
                $failure = $this->failureIn($answer, $isWrite);
                $isRunning = $failure !== null && in_array($failure->status(), [409, 504], true);
                $left = $this->budget->left($isWrite);
                $pause = $repeats->pauseAfter($answer, $isRunning, $left);
            } catch (NoAnswer $lost) {
                $failure = $this->failureOf($lost);
                $pause = $repeats->pauseWithout($lost);
            }
            $seconds = TimeBudget::now() - $began;
            $this->log($method, $path, $fields ?? [], $answer, $failure, $seconds);
            if ($failure === null) {
                MissingAccount::end($this->address);
                return $answer->json() ?? [];
            }
            $mayBeDone = $mayBeDone || $failure->mayBeDone();
            // A repeat needs some time for itself too.
            $left = $this->budget->left($isWrite) - TimeBudget::MIN_SECONDS;
            if ($pause === null || $pause >= $left) {
                $this->noteAbsence($answer, $lost, $failure, $isRunning, $seconds);
                throw $this->final($failure, $mayBeDone, $isRunning);
            }
            $repeats->count($isRunning);
            usleep((int) ($pause * 1e6));
        }
    }

    /** Has the panel answer in time, also when the work takes longer (RFC 7240). */
    private static function wait(float $left): string
    {
        return 'Prefer: wait=' . max(1, (int) ($left - self::ANSWER_RESERVE_SECONDS));
    }

    /** @return string[] the same for all repeats, the key above all */
    private function headers(
        bool $isWrite,
        #[\SensitiveParameter]
        string $body
    ): array {
        $headers = [
            'Accept: application/json',
            'Authorization: Bearer ' . $this->token,
            'User-Agent: ' . $this->options['agent'],
        ];
        $type = $body !== '' ? ['Content-Type: application/json'] : [];
        $key = $isWrite ? ['Idempotency-Key: ' . bin2hex(random_bytes(16))] : [];
        return array_merge($headers, $type, $key);
    }

    private function encode(
        #[\SensitiveParameter]
        ?array $fields
    ): string {
        // A field that is empty in the billing system is not sent: the panel says what is missing.
        $fields = array_filter($fields ?? [], static function ($value): bool {
            return $value !== '' && $value !== null;
        });
        if ($fields === []) {
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
    private function failureIn(Answer $answer, bool $isWrite): ?Failure
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

    private function noteAbsence(
        ?Answer $answer,
        ?NoAnswer $lost,
        Failure $failure,
        bool $isRunning,
        float $seconds
    ): void {
        if ($answer !== null && ($answer->status < 500 || $isRunning)) {
            MissingAccount::end($this->address);
        } elseif ($lost !== null && $lost->isSilent && $seconds < self::SILENCE_SECONDS) {
            // There was no time left for an answer: that says nothing of the panel.
            return;
        } elseif ($lost === null || $lost->isTrusted) {
            $isAway = $lost !== null && ($lost->isSilent || !$lost->mayBeDone);
            MissingAccount::begin($this->address, $isAway ? $failure : null);
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
    private function final(Failure $failure, bool $mayBeDone, bool $isRunning): Failure
    {
        $isRefused = in_array($failure->status(), [400, 402, 404], true);
        return new Failure(
            $isRunning
                ? 'The panel server is busy and still at work on this. The work goes on: repeat the'
                    . ' command in a few minutes to see it done.'
                : $failure->getMessage(),
            $failure->status(),
            $mayBeDone && !$isRefused,
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
            'failure' => $failure === null ? '' : $failure->getMessage(),
        ];
        ($this->options['log'])(array_map([$this->secrets, 'conceal'], $entry));
    }
}
