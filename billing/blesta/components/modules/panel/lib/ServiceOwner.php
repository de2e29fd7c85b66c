<?php

declare(strict_types=1);

namespace Panel\Billing;

use Configure;
use Language;
use Loader;

/**
 * The account that a service has now.
 */
trait ServiceOwner
{
    /**
     * The account of a service, for whatever is to be done with it next.
     *
     * @return string its username
     * @throws Failure where it has none, or what has its username is not its account
     */
    private function own(Provisioning $panel, $package, $service): string
    {
        if (!self::hasAccount($service)) {
            throw new Failure(Language::_('Panel.login.inactive', true));
        }
        $order = $this->orderOf($package, $service);
        $link = $this->linkOf($order, $service);
        return $panel->own($this->usernameOf($service), $order, $link)['username'];
    }

    private function orderOf($package, $service): Order
    {
        $fields = $this->fieldsOf($service);
        $number = self::reference((string) ($service->id ?? ''));
        $stored = self::text($fields, 'panel_reference');
        $order = new Order([
            'reference' => $stored !== '' ? $stored : $number,
            'domain' => self::text($fields, 'panel_domain'),
            'email' => $this->emailOf((int) ($service->client_id ?? 0)),
            'package' => (string) ($package->meta->package ?? ''),
        ]);
        $order->formerReferences = [$number];
        return $order;
    }

    /**
     * Returns the panel's reference of a service. Two Blestas have services of the same numbers,
     * and may be of the same seller of a panel: their keys differ, which are never changed.
     */
    private static function reference(string $number): string
    {
        $key = (string) Configure::get('Blesta.system_key');
        $installation = substr(hash_hmac('sha256', 'panel installation', $key), 0, 12);
        return $number === '' ? '' : "blesta-$installation:$number";
    }

    private function linkOf(Order $order, $service): ServiceLink
    {
        $id = (int) ($service->id ?? 0);
        $store = function (string $key, string $value) use ($id): void {
            Loader::loadModels($this, ['Services']);
            $this->Services->editField($id, ['key' => $key, 'value' => $value, 'encrypted' => 0]);
        };
        $isFree = $this->isFreeFor(['service_id' => $id]);
        $isMade = self::hasAccount($service);
        return new ServiceLink($order, $this->fieldsOf($service), $isFree, $store, $isMade);
    }

    private function serverAddress(): string
    {
        $row = $this->getModuleRow();
        return is_object($row) ? self::addressOf($row)->url() : '';
    }

    private function emailOf(int $client): string
    {
        Loader::loadModels($this, ['Clients']);
        return (string) ($this->Clients->get($client, false)->email ?? '');
    }

    /** @return array<string, mixed> */
    private function fieldsOf($service): array
    {
        return (array) $this->serviceFieldsToObject($service->fields ?? []);
    }

    private function usernameOf($service): string
    {
        return Names::folded(self::text($this->fieldsOf($service), 'panel_username'));
    }

    /** Returns whether a create with an unknown outcome was sent for it. */
    private function isAttempted($service): bool
    {
        return ($service->status ?? '') !== 'canceled'
            && self::text($this->fieldsOf($service), 'panel_attempts') !== '';
    }

    private static function hasAccount($service): bool
    {
        return in_array($service->status ?? 'active', ['active', 'suspended'], true);
    }
}
