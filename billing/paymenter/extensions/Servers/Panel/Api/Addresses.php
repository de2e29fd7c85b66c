<?php

declare(strict_types=1);

namespace Panel\Billing;

use App\Helpers\ExtensionHelper;
use App\Models\Service;
use Illuminate\Support\Facades\Log;

/**
 * E-mail addresses of clients, which their accounts have as well.
 */
final class Addresses
{
    /** @param object $event App\Events\User\Updated */
    public static function follow(object $event): void
    {
        if (!$event->user->wasChanged('email')) {
            return;
        }
        // The customer waits for the profile to be saved, however many services there are.
        TimeBudget::within(Client::FOR_A_PAGE['seconds'], static function () use ($event): void {
            foreach ($event->user->services as $service) {
                self::followFor($service);
            }
        });
    }

    private static function followFor(Service $service): void
    {
        try {
            if (self::isOurs($service)) {
                ExtensionHelper::callService($service, 'followAddress');
            }
        } catch (\Throwable $thrown) {
            // The next operation of the service takes the address along.
            Log::warning('Panel: ' . Text::line($thrown->getMessage()));
        }
    }

    private static function isOurs(Service $service): bool
    {
        return in_array($service->status, ['active', 'suspended'], true)
            && ($service->product->server->extension ?? '') === 'Panel';
    }
}
