<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The account of a service, as its fields say. A username comes back when its account is gone,
 * and e-mail addresses and domains change: when an account was made does neither.
 */
final class ServiceLink implements StoredLink
{
    /** @var Order */
    private $order;

    /** @var array<string, mixed> the fields of the service */
    private $fields;

    /** @var callable(string): bool whether no other service has a username */
    private $isFree;

    /** @var callable(string, string): void stores a field of the service */
    private $store;

    /** @var bool whether Blesta has it as one with an account */
    private $isMade;

    /** @param array<string, mixed> $fields */
    public function __construct(
        Order $order,
        array $fields,
        callable $isFree,
        callable $store,
        bool $isMade
    ) {
        $this->isMade = $isMade;
        $this->order = $order;
        $this->fields = $fields;
        $this->isFree = $isFree;
        $this->store = $store;
    }

    public function isMade(): bool
    {
        return $this->isMade;
    }

    public function check(array $account): void
    {
        $madeAt = $this->madeAt();
        if ($madeAt !== '' && $madeAt === $account['created_at']) {
            return;
        }
        if (!($this->isFree)($account['username'])) {
            throw new Failure("The account $account[username] belongs to another service.");
        }
        // For an account that staff connected nothing is known; otherwise it is another account.
        $canBe = $madeAt === ''
            ? $this->order->canOwn($account)
            : $this->order->isOfClient($account) && $this->order->isForDomain($account);
        if (!$canBe) {
            $this->order->refuse($account);
        }
    }

    /** Saves the seller of an account that staff connected, or whose owner is another one now. */
    public function save(array $account): void
    {
        $seller = Expected::seller($account);
        if ($seller !== '' && $seller !== $this->seller()) {
            ($this->store)('panel_seller', $seller);
        }
    }

    public function seller(): string
    {
        return $this->text('panel_seller');
    }

    public function madeAt(): string
    {
        return $this->text('panel_made_at');
    }

    public function server(): string
    {
        return $this->text('panel_server');
    }

    public function attempts(): string
    {
        return $this->text('panel_attempts');
    }

    public function saveAttempts(string $attempts): void
    {
        if ($attempts !== $this->attempts()) {
            ($this->store)('panel_attempts', $attempts);
            $this->fields['panel_attempts'] = $attempts;
        }
    }

    private function text(string $name): string
    {
        $value = $this->fields[$name] ?? '';
        return is_scalar($value) ? (string) $value : '';
    }
}
