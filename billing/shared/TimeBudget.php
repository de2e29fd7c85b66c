<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The time that one operation has for all of its requests and repeats together. It begins with the
 * first request.
 */
final class TimeBudget
{
    /** With less than this no request is begun. */
    public const MIN_SECONDS = 0.5;

    // The part that is kept for reading what became of a write.
    private const READING = 0.2;

    /** @var float|null when all operations of this PHP have to be done, inside `within()` */
    private static $common = null;

    /** @var float */
    private $seconds;

    /** @var float|null */
    private $deadline;

    public function __construct(float $seconds)
    {
        $this->seconds = $seconds;
    }

    /**
     * Limits everything that the given work asks for, however many operations it has.
     *
     * @param callable(): mixed $work
     * @return mixed what the work returns
     */
    public static function within(float $seconds, callable $work)
    {
        $outer = self::$common;
        self::$common = min($outer ?? INF, self::now() + $seconds);
        try {
            return $work();
        } finally {
            self::$common = $outer;
        }
    }

    /** Seconds until a request has to be answered; a read may still ask what a write has done. */
    public function left(bool $isWrite): float
    {
        $this->deadline = $this->deadline ?? self::now() + $this->seconds;
        $own = $this->deadline - ($isWrite ? $this->seconds * self::READING : 0.0);
        return min($own, self::$common ?? INF) - self::now();
    }

    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
