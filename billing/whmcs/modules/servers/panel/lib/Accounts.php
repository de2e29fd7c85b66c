<?php

declare(strict_types=1);

namespace Panel\Billing;

use WHMCS\Database\Capsule;

/**
 * The accounts of services, in a table of the module's own. A username comes back when its
 * account is gone, and e-mail addresses and domains change: when an account was made does neither.
 */
final class Accounts
{
    private const TABLE = 'mod_panel_accounts';

    // Services whose create was sent, and whose account is not known yet.
    private const ATTEMPTS = 'mod_panel_attempts';

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

    /**
     * @param array<string, mixed> $account
     * @param string               $panel   where it is
     */
    public static function save(Parameters $given, array $account, string $panel): void
    {
        $which = ['server' => $given->id('serverid'), 'username' => $account['username']];
        self::rows()->where($which)->where('service', '!=', $given->service())->delete();
        self::rows()->updateOrInsert(
            ['service' => $given->service()],
            $which + [
                'created_at' => $account['created_at'],
                'panel' => $panel,
                'seller' => Expected::seller($account),
            ]
        );
    }

    /** @return array<string, mixed>|null what is recorded of the service's account */
    public static function of(Parameters $given): ?array
    {
        $stored = self::rows()->where('service', $given->service())->first();
        return $stored === null ? null : (array) $stored;
    }

    public static function forget(Parameters $given): void
    {
        self::rows()->where('service', $given->service())->delete();
        self::saveAttempts($given, '');
    }

    /** As StoredLink::attempts() has them. */
    public static function attemptsOf(Parameters $given): string
    {
        $rows = self::rows(self::ATTEMPTS)->where('service', $given->service());
        return (string) ($rows->first()->attempts ?? '');
    }

    public static function saveAttempts(Parameters $given, string $attempts): void
    {
        $rows = self::rows(self::ATTEMPTS);
        if ($attempts === '') {
            $rows->where('service', $given->service())->delete();
        } else {
            $rows->updateOrInsert(['service' => $given->service()], ['attempts' => $attempts]);
        }
    }

    /** @return \Illuminate\Database\Query\Builder */
    private static function rows(string $table = self::TABLE)
    {
        if (!self::$isThere) {
            self::makeTable();
        }
        self::$isThere = true;
        return Capsule::table($table);
    }

    private static function makeTable(): void
    {
        $schema = Capsule::schema();
        if (!$schema->hasTable(self::TABLE)) {
            $schema->create(self::TABLE, static function ($table): void {
                $table->string('service', 40)->primary();
                $table->integer('server');
                $table->string('username', 32)->index();
                $table->string('created_at', 40);
                $table->string('panel', 300);
                $table->string('seller', 40);
            });
        }
        if (!$schema->hasTable(self::ATTEMPTS)) {
            $schema->create(self::ATTEMPTS, static function ($table): void {
                $table->string('service', 40)->primary();
                $table->string('attempts', 2000);
            });
        }
    }
}
