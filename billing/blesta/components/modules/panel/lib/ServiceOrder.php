<?php

declare(strict_types=1);

namespace Panel\Billing;

use Loader;

/** Turns an order into an account, under a name of its own. */
trait ServiceOrder
{
    /** @param array<string, mixed> $vars */
    private function orderFrom($package, array $vars): Order
    {
        $password = self::text($vars, 'panel_password');
        $service = (int) self::text($vars, 'service_id');
        $client = $this->clientOf($vars);
        $domain = self::domainOf($vars);
        // Before Blesta has stored the service, only its client's next number identifies it.
        $number = $domain === '' ? $this->services()->countOf($client) : 0;
        $name = $service > 0 ? "$service" : "client $client, $number";
        // A panel's references have 128 characters.
        $known = strlen($domain) <= 70 ? $domain : hash('sha256', $domain);
        return new Order([
            'service' => $name,
            'reference' => self::reference($service > 0 ? $name : "$name, $known"),
            'username' => Names::folded(self::text($vars, 'panel_username')),
            'domain' => $domain,
            'email' => $this->emailOf($client),
            'package' => (string) ($package->meta->package ?? ''),
            'password' => $password !== '' ? $password : self::newPassword(),
        ]);
    }

    /**
     * @param array<string, mixed> $vars
     * @return array<string, mixed> the account
     */
    private function madeFor(Order $order, array $vars, Provisioning $panel): array
    {
        $isFree = $this->isFreeFor($vars);
        $link = $this->storedLinkOf($order, (int) self::text($vars, 'service_id'));
        $create = static function () use ($panel, $order, $isFree, $link): array {
            $account = $panel->create($order, $isFree, $link);
            if ($link !== null) {
                $link->saveAttempts('');
            }
            return $account;
        };
        return Attempts::at((int) ($this->getModuleRow()->id ?? 0), $order, $create);
    }

    /** Null where Blesta has not stored the service yet: it has no place for an attempt then. */
    private function storedLinkOf(Order $order, int $id): ?ServiceLink
    {
        Loader::loadModels($this, ['Services']);
        $service = $id > 0 ? $this->Services->get($id) : null;
        return is_object($service) ? $this->linkOf($order, $service) : null;
    }

    /**
     * The name for a service that Blesta only stores: when it is paid for, every try to make its
     * account begins with this one.
     *
     * @param array<string, mixed> $vars
     * @param Provisioning|null    $panel where a name may not be an account's: an order may name
     *                                    anybody's, and staff alone connect one with a service
     */
    private function notedFor(Order $order, array $vars, ?Provisioning $panel): string
    {
        $given = $order->username;
        $isFree = $this->isFreeFor($vars);
        if ($given !== '' && !$isFree($given)) {
            throw new Failure("The username $given belongs to another order.");
        }
        if ($given !== '' && $panel !== null && $panel->find($given) !== null) {
            throw new Failure("The username $given is taken on the panel server.");
        }
        $names = Names::usernames($order->domain, $order->service, $given);
        return current(array_filter($names, $isFree)) ?: '';
    }

    /**
     * @param array<string, mixed> $vars
     * @return callable(string): bool
     */
    private function isFreeFor(array $vars): callable
    {
        $services = $this->services();
        $service = (int) self::text($vars, 'service_id');
        $server = (int) ($this->getModuleRow()->id ?? 0);
        return static function (string $username) use ($services, $service, $server): bool {
            return $services->isFree($username, $service, $server);
        };
    }

    private function services(): Services
    {
        Loader::loadComponents($this, ['Record']);
        return new Services($this->Record);
    }

    /** @param array<string, mixed> $vars */
    private function clientOf(array $vars): int
    {
        if (isset($vars['client_id'])) {
            return (int) self::text($vars, 'client_id');
        }
        Loader::loadModels($this, ['Services']);
        $service = $this->Services->get((int) self::text($vars, 'service_id'));
        return (int) ($service->client_id ?? 0);
    }

    private static function newPassword(): string
    {
        $letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
        $password = '';
        while (strlen($password) < 16) {
            $password .= $letters[random_int(0, strlen($letters) - 1)];
        }
        return $password;
    }
}
