<?php

namespace Panel\Billing;

/**
 * What WHMCS gives to every function of a module, of which any part may be missing.
 */
final class Parameters
{
    /** @var array<string, mixed> */
    private $given;

    /** @param array<string, mixed> $given */
    public function __construct(
        #[\SensitiveParameter]
        array $given
    ) {
        $this->given = $given;
    }

    public function text(string $name): string
    {
        $value = $this->given[$name] ?? '';
        return is_scalar($value) ? trim((string) $value) : '';
    }

    public function id(string $name): int
    {
        return (int) $this->text($name);
    }

    /** @throws Failure */
    public function address(): Address
    {
        $host = $this->text('serverhostname');
        return new Address(
            $host !== '' ? $host : $this->text('serverip'),
            $this->text('serverport'),
            (bool) $this->text('serversecure')
        );
    }

    public function token(): string
    {
        $hash = $this->secret('serveraccesshash');
        $token = $hash !== '' ? $hash : $this->secret('serverpassword');
        // Its field takes several lines, and what is pasted there brings some along.
        return (string) preg_replace('/\s+/', '', $token);
    }

    public function password(): string
    {
        return $this->secret('password');
    }

    public function package(): string
    {
        return html_entity_decode($this->text('configoption1'), ENT_QUOTES | ENT_HTML5, 'UTF-8');
    }

    public function order(): Order
    {
        $client = $this->given['clientsdetails'] ?? [];
        return new Order([
            'service' => $this->text('serviceid'),
            'username' => strtolower($this->text('username')),
            'domain' => $this->text('domain'),
            'email' => (string) ($client['email'] ?? ''),
            'package' => $this->package(),
            'password' => $this->password(),
        ]);
    }

    /** The service of WHMCS itself, where it is given. */
    public function model(): ?object
    {
        $model = $this->given['model'] ?? null;
        return is_object($model) ? $model : null;
    }

    public function secrets(): Secrets
    {
        $secrets = new Secrets();
        foreach (['password', 'serverpassword', 'serveraccesshash'] as $name) {
            $secrets->add($this->text($name));
        }
        return $secrets;
    }

    // WHMCS has been seen to hand over what was typed with its special characters as entities. A
    // password with an «&» is common, one that holds an entity as it stands is not.
    private function secret(string $name): string
    {
        $value = $this->given[$name] ?? '';
        $text = is_scalar($value) ? (string) $value : '';
        return html_entity_decode($text, ENT_QUOTES | ENT_HTML5, 'UTF-8');
    }
}
