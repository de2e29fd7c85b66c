<?php

declare(strict_types=1);

namespace Panel\Billing;

/** The account that a billing system orders. */
final class Order
{
    /** @var string distinguishes the order from all others of the billing system */
    public $service = '';

    /** @var string what the panel calls the order by: the billing system, and its number there */
    public $reference = '';

    /** @var string[] by which the panel may have called it under an earlier key or number */
    public $formerReferences = [];

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
            'domain' => $this->domain,
            'reference' => $this->reference,
        ];
        return array_filter($fields, 'strlen');
    }

    /** @return string[] */
    public function references(): array
    {
        $all = array_unique([$this->reference, ...$this->formerReferences]);
        return array_values(array_filter($all, 'strlen'));
    }

    /**
     * Whether the order's reference decides whose the account is, where both have one.
     *
     * @param array<string, mixed> $account
     * @throws Failure where it is another order's
     */
    public function isReferenceOf(array $account): bool
    {
        $reference = (string) ($account['reference'] ?? '');
        if ($reference === '' || $this->reference === '') {
            return false;
        }
        if (!in_array($reference, $this->references(), true)) {
            throw new Failure(
                "The account $account[username] belongs to another order: its reference is"
                    . " $reference."
            );
        }
        return true;
    }

    /**
     * @param array<string, mixed> $account
     * @throws Failure where the order's account has another name
     */
    public function isNamed(array $account, string $username): void
    {
        if ($account['username'] !== $username) {
            throw new Failure(
                "The account of this order is there already, as $account[username]: name it so in"
                    . ' the configuration of the order.'
            );
        }
    }

    /**
     * Returns whether an account was made for this order, where the billing system gives no
     * reference: the account has none either, and is as this order says.
     *
     * @param array<string, mixed> $account
     */
    public function isMadeWithoutReference(array $account): bool
    {
        return $this->reference === ''
            && (string) ($account['reference'] ?? '') === ''
            && $this->isMadeAs($account);
    }

    /**
     * @param array<string, mixed> $account
     * @return bool also true where this PHP, without intl, cannot compare them
     */
    public function hasDomainOf(array $account): bool
    {
        $isComparable = $this->domain !== '' && Names::isAscii($this->domain);
        return !$isComparable || $this->isForDomain($account);
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
     * Returns whether an account belongs to this order's client, even if by another order.
     *
     * @param array<string, mixed> $account
     */
    public function isOfClient(array $account): bool
    {
        return $this->email !== '' && strtolower($account['email']) === strtolower($this->email);
    }

    /**
     * Whether an account can be this order's, where nothing is known of whose it is: its e-mail
     * address or its website may have been changed, but not both.
     *
     * @param array<string, mixed> $account
     */
    public function canOwn(array $account): bool
    {
        return $this->isOfClient($account) || $this->isForDomain($account);
    }

    /** @param array<string, mixed> $account */
    public function isForDomain(array $account): bool
    {
        $sites = is_array($account['sites'] ?? null) ? $account['sites'] : [];
        $domains = array_merge([$account['domain'] ?? ''], array_column($sites, 'domain'));
        return $this->domain !== '' && in_array($this->domain, $domains, true);
    }

    /**
     * Whether an account has the address that the client has now.
     *
     * @param array<string, mixed> $account
     */
    public function hasAddressOf(array $account): bool
    {
        return $this->email === '' || $this->isOfClient($account);
    }

    /**
     * @param array<string, mixed> $account
     * @throws Failure
     */
    public function refuse(array $account): void
    {
        throw new Failure(
            "The account $account[username] has another e-mail address and domain than this order:"
                . ' if it is the right one, set its e-mail address in the panel.'
        );
    }
}
