<?php

declare(strict_types=1);

namespace Panel\Billing;

/** The parameters that WHMCS passes to every function of a module, of which any may be missing. */
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
        return trim(self::decoded($this->given[$name] ?? ''));
    }

    public function id(string $name): int
    {
        return (int) $this->text($name);
    }

    public function isAddon(): bool
    {
        return $this->id('addonId') > 0;
    }

    /** Identifies the service, or the addon of a service. */
    public function service(): string
    {
        $service = $this->text('serviceid');
        return $this->isAddon() ? $service . '/' . $this->id('addonId') : $service;
    }

    /** Returns the panel's reference for the service; '' without one. */
    public function reference(): string
    {
        return $this->id('serviceid') > 0 ? Installation::reference($this->service()) : '';
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
        $hash = $this->text('serveraccesshash');
        $token = $hash !== '' ? $hash : $this->text('serverpassword');
        // Its field takes several lines, and what is pasted there brings some along.
        return (string) preg_replace('/\s+/', '', $token);
    }

    public function password(): string
    {
        return self::decoded($this->given['password'] ?? '');
    }

    /** In the panel's spelling, whatever staff have entered. */
    public function username(): string
    {
        return Names::folded($this->text('username'));
    }

    public function package(): string
    {
        return $this->text('configoption1');
    }

    public function order(): Order
    {
        $client = $this->given['clientsdetails'] ?? null;
        return new Order([
            'service' => $this->service(),
            'reference' => $this->reference(),
            'username' => $this->username(),
            'domain' => $this->text('domain'),
            'email' => self::decoded(is_array($client) ? $client['email'] ?? '' : ''),
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

    /** As WHMCS has it; '' where it does not say. */
    public function status(): string
    {
        $status = $this->text('status');
        $model = $this->model();
        // An addon's column has another name.
        return $status !== '' ? $status : self::plain($model->domainstatus ?? $model->status ?? '');
    }

    /** Whether WHMCS is done with it: what has its username now is another service's account. */
    public function isEnded(): bool
    {
        return in_array($this->status(), ['Terminated', 'Cancelled', 'Fraud'], true);
    }

    /**
     * @throws Failure where the service's username may be another customer's: WHMCS
     *                 proposes one before there is an account, and keeps it when it is gone
     */
    public function ownUsername(): string
    {
        $status = $this->status();
        if ($status === 'Pending' || $this->isEnded()) {
            throw new Failure("This service has no account: its status is $status.");
        }
        return $this->username();
    }

    public function secrets(): Secrets
    {
        $secrets = new Secrets();
        foreach (['password', 'serverpassword', 'serveraccesshash'] as $name) {
            // Also as they were given: Secrets knows what they are decoded.
            $secrets->add(trim(self::plain($this->given[$name] ?? '')));
        }
        return $secrets;
    }

    /**
     * WHMCS has been seen to hand over what was typed with its special characters as entities. A
     * password with an «&» is common, one that holds an entity as it stands is not; and so it is
     * with apostrophes in e-mail addresses.
     *
     * @param mixed $value
     */
    private static function decoded(
        #[\SensitiveParameter]
        $value
    ): string {
        return html_entity_decode(self::plain($value), ENT_QUOTES | ENT_HTML5, 'UTF-8');
    }

    /** @param mixed $value */
    private static function plain(
        #[\SensitiveParameter]
        $value
    ): string {
        return is_scalar($value) ? (string) $value : '';
    }
}
