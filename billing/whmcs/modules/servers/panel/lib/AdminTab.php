<?php

declare(strict_types=1);

namespace Panel\Billing;

/** The service's page for administrators, with data of its account. */
final class AdminTab
{
    // The page is drawn without these rows where the panel is away.
    private const OPTIONS = ['seconds' => 5.0, 'repeats' => 0];

    private const JOBS = 5;

    private const NO_HOOKS = 'WHMCS has not loaded the hooks of this module. Open the Module'
        . ' Settings of its product and press Save Changes, for changed e-mail addresses.';

    /** @var bool whether WHMCS has loaded the module's hooks.php, which it looks for rarely */
    public static $hasHooks = false;

    /** @return array<string, string> rows of HTML */
    public static function rows(Parameters $given): array
    {
        try {
            $username = $given->ownUsername();
            $panel = Module::panel($given, 'AdminServicesTabFields', self::OPTIONS);
            $account = Module::own($panel, $given);
            $usage = $panel->usageOf($username);
            $jobs = $panel->jobsOf($username, self::JOBS);
        } catch (\Throwable $thrown) {
            return ['Panel' => self::html(Module::sentence($thrown, $given))];
        }
        $used = (int) ($usage['disk_used_mb'] ?? 0);
        $limit = (int) ($usage['disk_limit_mb'] ?? 0);
        $rows = [
            'State on the panel' => self::state($account),
            'E-mail address' => (string) $account['email'],
            'Disk' => "$used of $limit MB",
            'Bandwidth this month' => (int) ($usage['bandwidth_used_mb'] ?? 0) . ' MB',
            'Websites' => self::sites($account),
            'Last jobs' => self::jobs($jobs),
            'Warnings' => implode("\n", (array) ($account['warnings'] ?? [])),
            'Hooks' => self::$hasHooks ? '' : self::NO_HOOKS,
        ];
        return array_map([self::class, 'html'], array_filter($rows, 'strlen'));
    }

    /** @param array<string, mixed> $account */
    private static function state(array $account): string
    {
        $reason = (string) ($account['suspend_reason'] ?? '');
        return $account['state'] . ($reason !== '' ? ": $reason" : '');
    }

    /** @param array<string, mixed> $account */
    private static function sites(array $account): string
    {
        $lines = [];
        foreach ((array) ($account['sites'] ?? []) as $site) {
            $lines[] = ($site['domain'] ?? '') . ', certificate: ' . ($site['ssl'] ?? '');
        }
        return implode("\n", $lines);
    }

    /** @param array<int, array<string, mixed>> $jobs */
    private static function jobs(array $jobs): string
    {
        $lines = [];
        foreach ($jobs as $job) {
            $at = gmdate('Y-m-d H:i', (int) strtotime((string) ($job['created_at'] ?? '')));
            $error = (string) ($job['error'] ?? '');
            $lines[] = "$at UTC  " . ($job['operation'] ?? 'request') . ": $job[state]"
                . ($error !== '' ? ", $error" : '');
        }
        return implode("\n", $lines);
    }

    private static function html(string $text): string
    {
        return nl2br(htmlspecialchars($text, ENT_QUOTES, 'UTF-8'));
    }
}
