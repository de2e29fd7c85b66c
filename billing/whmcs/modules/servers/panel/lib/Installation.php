<?php

declare(strict_types=1);

namespace Panel\Billing;

use WHMCS\Database\Capsule;

/**
 * Identifies this WHMCS: services of others have the same numbers and may be of the same seller of
 * a panel. It moves with the database.
 */
final class Installation
{
    private const TABLE = 'mod_panel_installation';

    /** @var string|null */
    private static $id = null;

    /** Returns the panel's reference for a service, or for an addon of one. */
    public static function reference(string $service): string
    {
        self::$id = self::$id ?? self::read();
        return 'whmcs-' . self::$id . ":$service";
    }

    private static function read(): string
    {
        if (!Capsule::schema()->hasTable(self::TABLE)) {
            Capsule::schema()->create(self::TABLE, static function ($table): void {
                $table->string('name', 40)->primary();
                $table->string('value', 40);
            });
        }
        // The first one of two concurrent processes decides.
        Capsule::table(self::TABLE)->insertOrIgnore([
            'name' => 'id',
            'value' => bin2hex(random_bytes(6)),
        ]);
        foreach (Capsule::table(self::TABLE)->where('name', 'id')->pluck('value') as $id) {
            return (string) $id;
        }
        throw new Failure('The number of this WHMCS cannot be stored: ' . self::TABLE);
    }
}
