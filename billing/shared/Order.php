<?php

namespace Panel\Billing;

/**
 * What a billing system wants to have made.
 */
final class Order
{
    /** @var string tells this order from all others of the billing system */
    public $service = '';

    /** @var string a username that the billing system has chosen; '' has one made */
    public $username = '';

    /** @var string the first website; '' for none */
    public $domain = '';

    /** @var string */
    public $email = '';

    /** @var string */
    public $package = '';

    /** @var string */
    public $password = '';

    /** @param array<string, string> $fields */
    public function __construct(
        #[\SensitiveParameter]
        array $fields
    ) {
        foreach ($fields as $name => $value) {
            $this->$name = trim($value);
        }
        $this->password = $fields['password'] ?? '';
        $this->domain = Names::domain($this->domain);
    }

    /** @return array<string, string> as the API takes it */
    public function toFields(string $username): array
    {
        $fields = [
            'username' => $username,
            'password' => $this->password,
            'email' => $this->email,
            'package' => $this->package,
        ];
        return $this->domain === '' ? $fields : $fields + ['domain' => $this->domain];
    }

    /**
     * Whether an account is the one that this order had made before.
     *
     * @param array<string, mixed> $account
     */
    public function isMadeAs(array $account): bool
    {
        return $this->isOfClient($account)
            && ($account['domain'] ?? '') === $this->domain
            && $account['package'] === $this->package;
    }

    /**
     * Whether an account is of whoever has ordered this, be it for another order.
     *
     * @param array<string, mixed> $account
     */
    public function isOfClient(array $account): bool
    {
        return $this->email !== '' && strtolower($account['email']) === strtolower($this->email);
    }

    /**
     * Whether an account can be this order's: either may have been changed, but not both.
     *
     * @param array<string, mixed> $account
     */
    public function canOwn(array $account): bool
    {
        return $this->isOfClient($account)
            || ($this->domain !== '' && ($account['domain'] ?? '') === $this->domain);
    }
}
