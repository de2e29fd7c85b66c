<?php

declare(strict_types=1);

namespace Panel\Billing;

use Language;

/**
 * An order's way from its account's creation to its end.
 */
trait ServiceLife
{
    /** The domain if there is one: a list of services needs names. */
    public function getServiceName($service)
    {
        $fields = $this->fieldsOf($service);
        $domain = self::text($fields, 'panel_domain');
        return $domain !== '' ? $domain : self::text($fields, 'panel_username');
    }

    public function addService(
        $package,
        ?array $vars = null,
        $parent_package = null,
        $parent_service = null,
        $status = 'pending'
    ) {
        $vars = (array) $vars;
        if (!$this->validateService($package, $vars)) {
            return null;
        }
        return $this->attempt(function (Provisioning $panel) use ($package, $vars, $status): array {
            $order = $this->orderFrom($package, $vars);
            if (self::isForModule($vars)) {
                $account = $this->madeFor($order, $vars, $panel);
                return array_merge(
                    self::toFields($order->domain, $account['username'], $order->password),
                    self::toMeta([
                        'panel_made_at' => $account['created_at'],
                        'panel_server' => $this->serverAddress(),
                        'panel_reference' => (string) ($account['reference'] ?? ''),
                        'panel_seller' => Expected::seller($account),
                    ])
                );
            }
            $username = $this->notedFor($order, $vars, $status === 'active' ? null : $panel);
            return self::toFields($order->domain, $username, $order->password);
        });
    }

    public function editService(
        $package,
        $service,
        ?array $vars = null,
        $parent_package = null,
        $parent_service = null
    ) {
        $vars = (array) $vars;
        if (!$this->validateServiceEdit($service, $vars)) {
            return null;
        }
        $former = $this->fieldsOf($service);
        $edited = [
            'domain' => isset($vars['panel_domain'])
                ? Names::domain(self::text($vars, 'panel_domain'))
                : self::text($former, 'panel_domain'),
            'username' => Names::folded(self::given($vars, $former, 'panel_username')),
            'password' => self::given($vars, $former, 'panel_password'),
        ];
        if (self::isForModule($vars) && self::hasAccount($service)) {
            $work = function (Provisioning $panel) use ($package, $service, $edited): void {
                $this->carryOver($panel, $package, $service, $edited);
            };
            // Asked for on a page, by staff or the customer.
            $this->attempt($work, Client::FOR_A_PAGE);
            if ($this->Input->errors()) {
                return null;
            }
        }
        $fields = self::toFields($edited['domain'], $edited['username'], $edited['password']);
        if ($edited['username'] !== self::text($former, 'panel_username')) {
            // Staff connect the service with another account.
            foreach (['made_at', 'server', 'seller'] as $name) {
                unset($former["panel_$name"]);
            }
        }
        $own = array_flip(array_column($fields, 'key'));
        return array_merge($fields, self::toMeta(array_diff_key($former, $own)));
    }

    public function suspendService(
        $package,
        $service,
        $parent_package = null,
        $parent_service = null
    ) {
        // Blesta keeps the reason to itself: what the service has at this time is the last one's.
        $this->attempt(function (Provisioning $panel) use ($package, $service): void {
            $panel->suspend($this->own($panel, $package, $service));
        });
        return null;
    }

    public function unsuspendService(
        $package,
        $service,
        $parent_package = null,
        $parent_service = null
    ) {
        $this->attempt(function (Provisioning $panel) use ($package, $service): void {
            $panel->unsuspend($this->own($panel, $package, $service));
        });
        return null;
    }

    public function cancelService(
        $package,
        $service,
        $parent_package = null,
        $parent_service = null
    ) {
        $hasAccount = self::hasAccount($service);
        if (!$hasAccount && !$this->isAttempted($service)) {
            // An account of its name would belong to another service.
            $this->Input->setErrors([]);
            return null;
        }
        $work = function (Provisioning $panel) use ($package, $service, $hasAccount): void {
            $order = $this->orderOf($package, $service);
            $link = $this->linkOf($order, $service);
            // The account of a lost create is known only by its reference.
            $panel->terminate($hasAccount ? $this->usernameOf($service) : '', $order, $link);
        };
        $this->attempt($work);
        return null;
    }

    public function changeServicePackage(
        $package_from,
        $package_to,
        $service,
        $parent_package = null,
        $parent_service = null
    ) {
        $work = function (Provisioning $panel) use ($package_from, $package_to, $service): void {
            $package = (string) ($package_to->meta->package ?? '');
            $panel->changePackage($this->own($panel, $package_from, $service), $package);
        };
        $this->attempt($work);
        return null;
    }

    /** @param array<string, string> $edited */
    private function carryOver(
        Provisioning $panel,
        $package,
        $service,
        #[\SensitiveParameter]
        array $edited
    ): void {
        $former = $this->fieldsOf($service);
        foreach (['domain', 'username'] as $name) {
            if ($edited[$name] !== self::text($former, "panel_$name")) {
                throw new Failure(Language::_("Panel.!error.panel_$name.changed", true));
            }
        }
        if ($edited['password'] !== self::text($former, 'panel_password')) {
            $panel->setPassword($this->own($panel, $package, $service), $edited['password']);
        }
    }

    /** Whether Blesta wants it done on the panel, and not only in its own books. */
    private static function isForModule(array $vars): bool
    {
        return self::text($vars, 'use_module') === 'true';
    }

    /** An empty field keeps its value. */
    private static function given(array $vars, array $former, string $key): string
    {
        $given = self::text($vars, $key);
        return $given !== '' ? $given : self::text($former, $key);
    }

    /** @return array<int, array{key: string, value: string, encrypted: int}> */
    private static function toFields(
        string $domain,
        string $username,
        #[\SensitiveParameter]
        string $password
    ): array {
        return self::toMeta([
            'panel_domain' => $domain,
            'panel_username' => $username,
            'panel_password' => $password,
        ], ['panel_password']);
    }
}
