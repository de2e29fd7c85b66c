<?php

declare(strict_types=1);

namespace Panel\Billing;

use App\Models\Service;
use Illuminate\Support\Facades\Cache;

/** The usage of an account, as rows of its service's page. */
final class Usage
{
    // Disk usage is measured every quarter of an hour, and bandwidth need not be exact to the
    // second.
    private const KEPT_SECONDS = 300;

    // A panel that is away delays one view a minute.
    private const ABSENCE_KEPT_SECONDS = 60;

    private const OPTIONS = ['seconds' => 3.0, 'repeats' => 0];

    /** @return array<int, array<string, string>> none where the panel does not say */
    public static function rows(Service $service, string $username, Connection $connection): array
    {
        try {
            $usage = self::of("panel-usage:$service->id:$username", $username, $connection);
        } catch (\Throwable $thrown) {
            // The buttons are worth more than the rows.
            return [];
        }
        if (!isset($usage['disk_used_mb'], $usage['disk_limit_mb'], $usage['bandwidth_used_mb'])) {
            return [];
        }
        $disk = "$usage[disk_used_mb] of $usage[disk_limit_mb] MB";
        return [
            ['type' => 'text', 'label' => 'Disk', 'text' => $disk],
            [
                'type' => 'text',
                'label' => 'Bandwidth this month',
                'text' => "$usage[bandwidth_used_mb] MB",
            ],
        ];
    }

    /** @return array<string, mixed> */
    private static function of(string $key, string $username, Connection $connection): array
    {
        $kept = Cache::get($key);
        if (is_array($kept)) {
            return $kept;
        }
        try {
            $usage = $connection->panel(self::OPTIONS)->usageOf($username);
            $seconds = self::KEPT_SECONDS;
        } catch (Failure $failure) {
            $usage = [];
            $seconds = self::ABSENCE_KEPT_SECONDS;
        }
        Cache::put($key, $usage, $seconds);
        return $usage;
    }
}
