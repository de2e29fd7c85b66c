<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The record that a billing system keeps of an order's account, where only the module can write.
 */
interface StoredLink
{
    /** Whether the order may ever have had an account: not before its create has succeeded. */
    public function isMade(): bool;

    /**
     * For an account without a reference, or an order without one.
     *
     * @param array<string, mixed> $account
     * @throws Failure where the account is not the order's
     */
    public function check(array $account): void;

    /**
     * Records the account of the order, which is known to be its own.
     *
     * @param array<string, mixed> $account
     */
    public function save(array $account): void;

    /** The seller of the account, as Expected::seller() has it; '' where it is not known. */
    public function seller(): string;

    /** When the account was made, as the panel says it; '' where it is not known. */
    public function madeAt(): string;

    /** Returns the server that the account is on, as Address::url() does; '' if unknown. */
    public function server(): string;

    /** The value that CreateAttempts has stored for the order; empty once an account is saved. */
    public function attempts(): string;

    public function saveAttempts(string $attempts): void;
}
