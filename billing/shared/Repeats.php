<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Decides whether a request is sent again, and after what time.
 */
final class Repeats
{
    // Before each repeat of what failed: long enough together for a panel that restarts.
    private const PAUSES_SECONDS = [0.2, 0.5, 1.5, 4.0];

    public const MOST = 4;

    /** @var int */
    private $most;

    /** @var int */
    private $failures = 0;

    public function __construct(int $most)
    {
        $this->most = $most;
    }

    /**
     * @param bool  $isRunning whether the panel reports that the work continues
     * @param float $left      seconds until the request has to be answered
     * @return float|null seconds; null where the answer is the last word
     */
    public function pauseAfter(Answer $answer, bool $isRunning, float $left): ?float
    {
        $asked = (float) ($answer->retryAfter() ?? 0);
        if ($isRunning) {
            // Once more before the time is over, whatever the panel thinks how long it takes.
            return max(1.0, min($asked, $left - 1.0 - TimeBudget::MIN_SECONDS));
        }
        if ($answer->status === 429) {
            return $answer->retryAfter() !== null && $this->pause() !== null
                ? max(0.2, $asked)
                : null;
        }
        $own = $answer->status >= 500 ? $this->pause() : null;
        return $own === null ? null : max($own, $asked);
    }

    /** A server that accepts and never answers is not tried again, nor one that is not trusted. */
    public function pauseWithout(NoAnswer $lost): ?float
    {
        return $lost->isTrusted && !$lost->isSilent ? $this->pause() : null;
    }

    /** Work that continues is no failure: the module waits while it has time. */
    public function count(bool $isRunning): void
    {
        $this->failures += $isRunning ? 0 : 1;
    }

    private function pause(): ?float
    {
        $pause = self::PAUSES_SECONDS[$this->failures] ?? null;
        return $this->failures < $this->most ? $pause : null;
    }
}
