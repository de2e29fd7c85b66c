<?php

declare(strict_types=1);

namespace Panel\Billing;

use WHMCS\Database\Capsule;

/**
 * Which service has which account, in a table of the module's own. A username comes back when its
 * account is gone, and e-mail addresses and domains change: when an account was made does neither.
 */
final class Accounts
{
    private const TABLE = 'mod_panel_accounts';

    /** @var bool whether the table is known to be there */
    private static $isThere = false;

    /**
     * @param string $createdAt of one account; '' for whatever has had the name
     * @return string[] services, as Parameters::service() has them
     */
    public static function servicesOf(
        int $server,
        string $username,
        string $createdAt = ''
    ): array {
        $rows = self::rows()->where('server', $server)->where('username', $username);
        if ($createdAt !== '') {
            $rows = $rows->where('created_at', $createdAt);
        }
        $services = [];
        foreach ($rows->pluck('service') as $service) {
            $services[] = (string) $service;
        }
        return $services;
    }

    /** @param array<string, mixed> $account */
    public static function save(Parameters $given, array $account): void
    {
        $which = ['server' => $given->id('serverid'), 'username' => $account['username']];
        self::rows()->where($which)->where('service', '!=', $given->service())->delete();
        self::rows()->updateOrInsert(
            ['service' => $given->service()],
            $which + ['created_at' => $account['created_at']]
        );
    }

    /** @return int the server that the service's account was made on; 0 where it is not known */
    public static function serverOf(Parameters $given): int
    {
        foreach (self::rows()->where('service', $given->service())->pluck('server') as $server) {
            return (int) $server;
        }
        return 0;
    }

    public static function forget(Parameters $given): void
    {
        self::rows()->where('service', $given->service())->delete();
    }

    /** @return \Illuminate\Database\Query\Builder */
    private static function rows()
    {
        if (!self::$isThere && !Capsule::schema()->hasTable(self::TABLE)) {
            Capsule::schema()->create(self::TABLE, static function ($table): void {
                $table->string('service', 40)->primary();
                $table->integer('server');
                $table->string('username', 32)->index();
                $table->string('created_at', 40);
            });
        }
        self::$isThere = true;
        return Capsule::table(self::TABLE);
    }
}
