<?php

declare(strict_types=1);

namespace Panel\Billing;

use Language;
use Loader;

/**
 * Whether an account is the one that a service has now. A username comes back when its account is
 * gone, and e-mail addresses and domains change: when an account was made does neither.
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
        $check = $this->ownerCheckOf($order, $service);
        return $panel->own($this->usernameOf($service), $order, $check)['username'];
    }

    private function orderOf($package, $service): Order
    {
        return new Order([
            'domain' => self::text($this->fieldsOf($service), 'panel_domain'),
            'email' => $this->emailOf((int) ($service->client_id ?? 0)),
            'package' => (string) ($package->meta->package ?? ''),
        ]);
    }

    /** @return callable(array<string, mixed>): void throws where an account is not the service's */
    private function ownerCheckOf(Order $order, $service): callable
    {
        $madeAt = self::text($this->fieldsOf($service), 'panel_made_at');
        $isFree = $this->isFreeFor(['service_id' => $service->id ?? 0]);
        return static function (array $account) use ($order, $madeAt, $isFree): void {
            if ($madeAt !== '' && $madeAt === $account['created_at']) {
                return;
            }
            if (!$isFree($account['username'])) {
                throw new Failure("The account $account[username] belongs to another service.");
            }
            // Of one that staff have connected nothing is known; otherwise it is another account.
            $canBe = $madeAt === ''
                ? $order->canOwn($account)
                : $order->isOfClient($account) && $order->isForDomain($account);
            if (!$canBe) {
                $order->refuse($account);
            }
        };
    }

    /** @return string where the account was made, if that is another server; '' otherwise */
    private function serverElsewhere($service): string
    {
        $made = self::text($this->fieldsOf($service), 'panel_server');
        return $made === $this->serverAddress() ? '' : $made;
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

    private static function hasAccount($service): bool
    {
        return in_array($service->status ?? 'active', ['active', 'suspended'], true);
    }
}
