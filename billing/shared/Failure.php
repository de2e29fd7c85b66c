<?php

declare(strict_types=1);

namespace Panel\Billing;

/** The reason why an operation failed, as a sentence that an administrator can act on. */
final class Failure extends \RuntimeException
{
    /** @var int */
    private $status;

    /** @var bool */
    private $mayBeDone;

    /** @var string */
    private $reason;

    /**
     * @param int    $status    the status of a refusal in the panel's own words, otherwise 0
     * @param bool   $mayBeDone whether the panel may have done what was asked all the same
     * @param string $reason    which refusal it is, by the panel's list
     */
    public function __construct(
        string $sentence,
        int $status = 0,
        bool $mayBeDone = false,
        string $reason = ''
    ) {
        parent::__construct($sentence);
        $this->status = $status;
        $this->mayBeDone = $mayBeDone;
        $this->reason = $reason;
    }

    public static function ofToken(): self
    {
        return new self(
            'The panel server does not accept the API token. A token ends when it is revoked or'
                . ' expires, and when its owner changes password or two-factor authentication.'
                . ' Make a new one in the panel under My account, API tokens.',
            401
        );
    }

    /** Whether another username may do. */
    public function isOfName(): bool
    {
        return in_array($this->reason, ['username_taken', 'username_reserved'], true);
    }

    /** The status that the panel itself refused with; 0 where something else went wrong. */
    public function status(): int
    {
        return $this->status;
    }

    public function mayBeDone(): bool
    {
        return $this->mayBeDone;
    }

    /** Returns the code of a refusal, such as `username_taken`; empty without one. */
    public function reason(): string
    {
        return $this->reason;
    }
}
