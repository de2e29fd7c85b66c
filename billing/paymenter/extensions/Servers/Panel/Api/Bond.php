<?php

namespace Panel\Billing;

use App\Models\Service;

/**
 * Which account a service has, among the properties that Paymenter keeps of it.
 *
 * Customers have been able to send properties along with an order. So a username counts only with a
 * seal on it, or they could order somebody else's account and sign on to it.
 */
final class Bond
{
    private const USERNAME = 'panel_username';

    private const SEAL = 'panel_seal';

    /**
     * @param array<string, mixed> $properties
     * @return string '' where the service has no account
     */
    public static function usernameOf(Service $service, array $properties): string
    {
        $username = (string) ($properties[self::USERNAME] ?? '');
        $isOurs = hash_equals(
            self::seal($service, $username),
            (string) ($properties[self::SEAL] ?? '')
        );
        return $isOurs ? $username : '';
    }

    public static function make(Service $service, string $username): void
    {
        $values = [self::USERNAME => $username, self::SEAL => self::seal($service, $username)];
        $names = [self::USERNAME => 'Username on the panel', self::SEAL => 'Seal of the username'];
        foreach ($values as $key => $value) {
            $fields = ['name' => $names[$key], 'value' => $value];
            $service->properties()->updateOrCreate(['key' => $key], $fields);
        }
    }

    public static function end(Service $service): void
    {
        foreach ([self::USERNAME, self::SEAL] as $key) {
            $service->properties()->where('key', $key)->delete();
        }
    }

    private static function seal(Service $service, string $username): string
    {
        $key = (string) config('app.key');
        return hash_hmac('sha256', json_encode(['panel', (string) $service->id, $username]), $key);
    }
}
