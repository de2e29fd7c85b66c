<?php

declare(strict_types=1);

namespace Panel\Billing;

use WHMCS\Database\Capsule;

/**
 * The services as WHMCS keeps them.
 */
final class Hosting
{
    private const TABLE = 'tblhosting';

    // The others have no account any more, or none yet; usernames and domains come back.
    private const WITH_ACCOUNT = ['Active', 'Suspended', 'Completed'];

    // Rows in a statement: as few statements as a statement of some ten kilobytes allows.
    private const ROWS = 500;

    /** Whether no other service of the server has the account. */
    public static function isFree(string $username, Parameters $given): bool
    {
        $server = $given->id('serverid');
        $others = Capsule::table(self::TABLE)
            ->where('server', $server)
            ->where('username', $username)
            // An addon is not the service that it is of.
            ->where('id', '!=', $given->isAddon() ? 0 : $given->id('serviceid'))
            ->whereIn('domainstatus', self::WITH_ACCOUNT);
        if ($others->exists()) {
            return false;
        }
        foreach (Accounts::servicesOf($server, $username) as $service) {
            if ($service !== $given->service() && self::hasAccount($service)) {
                return false;
            }
        }
        return true;
    }

    /** @return int[] the services of a client that have an account of a panel */
    public static function ofClient(int $client): array
    {
        $services = Capsule::table(self::TABLE)
            ->join('tblproducts', 'tblproducts.id', '=', 'tblhosting.packageid')
            ->where('tblproducts.servertype', 'panel')
            ->where('tblhosting.userid', $client)
            ->whereIn('tblhosting.domainstatus', self::WITH_ACCOUNT)
            ->pluck('tblhosting.id');
        $ids = [];
        foreach ($services as $id) {
            $ids[] = (int) $id;
        }
        return $ids;
    }

    /** @param string $service as Parameters::service() has it */
    private static function hasAccount(string $service): bool
    {
        [$id, $addon] = explode('/', "$service/");
        $rows = $addon === ''
            ? Capsule::table(self::TABLE)->where('id', $id)
            : Capsule::table('tblhostingaddons')->where('id', $addon);
        $status = $addon === '' ? 'domainstatus' : 'status';
        return $rows->whereIn($status, self::WITH_ACCOUNT)->exists();
    }

    public static function saveUsername(Parameters $given, string $username): void
    {
        if ($username === $given->text('username')) {
            return;
        }
        $model = $given->model();
        if ($model !== null && isset($model->serviceProperties)) {
            $model->serviceProperties->save(['Username' => $username]);
            return;
        }
        if (!$given->isAddon()) {
            Capsule::table(self::TABLE)
                ->where('id', $given->id('serviceid'))
                ->update(['username' => $username]);
        }
    }

    /**
     * Writes what the accounts of a server use, in MB.
     *
     * @param array<string, array<string, mixed>> $usage by username
     */
    public static function saveUsage(int $server, array $usage): void
    {
        $usernames = Capsule::table(self::TABLE)
            ->where('server', $server)
            ->whereIn('domainstatus', self::WITH_ACCOUNT)
            ->pluck('username', 'id');
        $ofServices = [];
        foreach ($usernames as $id => $username) {
            $name = Names::folded((string) $username);
            if (isset($usage[$name])) {
                $ofServices[(int) $id] = $usage[$name];
            }
        }
        $now = date('Y-m-d H:i:s');
        foreach (array_chunk($ofServices, self::ROWS, true) as $some) {
            Capsule::connection()->update(self::toStatement($some), [$now]);
        }
    }

    /**
     * All rows at once: a statement for each takes as many round trips to the database.
     *
     * @param array<int, array<string, mixed>> $usage by service
     */
    private static function toStatement(array $usage): string
    {
        $columns = ['diskusage' => 'disk_used_mb', 'disklimit' => 'disk_limit_mb'];
        $columns['bwusage'] = 'bandwidth_used_mb';
        $settings = ['lastupdate = ?', 'bwlimit = 0'];
        foreach ($columns as $column => $field) {
            $cases = '';
            foreach ($usage as $id => $values) {
                $cases .= ' when ' . $id . ' then ' . (int) ($values[$field] ?? 0);
            }
            $settings[] = "$column = case id$cases end";
        }
        $ids = implode(', ', array_keys($usage));
        return 'update ' . self::TABLE . ' set ' . implode(', ', $settings) . " where id in ($ids)";
    }
}
