<?php

declare(strict_types=1);

namespace Panel\Billing;

/** A request without an answer. */
final class NoAnswer extends \Exception
{
    /** @var bool whether the request may have reached the panel */
    public $mayBeDone;

    /** @var bool whether the time ran out: a server that never answers is not asked again */
    public $isSilent = false;

    /** @var bool false where it was not the panel's server: then nothing is sent again */
    public $isTrusted = true;

    public function __construct(string $reason, bool $mayBeDone)
    {
        parent::__construct($reason);
        $this->mayBeDone = $mayBeDone;
    }

    public static function fromSilence(string $reason, bool $mayBeDone): self
    {
        $noAnswer = new self($reason, $mayBeDone);
        $noAnswer->isSilent = true;
        return $noAnswer;
    }

    public static function fromUntrusted(string $reason): self
    {
        $noAnswer = new self($reason, false);
        $noAnswer->isTrusted = false;
        return $noAnswer;
    }
}
