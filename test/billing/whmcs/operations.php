<?php

// Calls a provisioning module as WHMCS does, from an order to its end.

namespace PanelTest;

use WHMCS\Database\Capsule;

require_once __DIR__ . '/stubs.php';

return static function (string $root): array {
    require_once "$root/modules/servers/panel/panel.php";
    require_once "$root/modules/servers/panel/hooks.php";
    Whmcs::open();

    /** Runs a function; only its «success» changes what WHMCS believes. */
    $run = static function (string $function, string $id, array $after, array $more = []): array {
        $result = ("panel_$function")(Whmcs::params($id, $more));
        if ($result === 'success') {
            Whmcs::set($id, $after);
        }
        return ['ok' => $result === 'success', 'message' => $result];
    };

    return [
        'connect' => static function (array $values): void {
            Whmcs::$server = [
                'server' => true,
                'serverid' => $values['id'] ?? 1,
                'serverip' => '192.0.2.1',
                'serverhostname' => $values['host'],
                'serverport' => (string) $values['port'],
                'serversecure' => $values['isSecure'] ?? true,
                'serverusername' => '',
                'serverpassword' => '',
                // As it comes out of a field of several lines.
                'serveraccesshash' => $values['token'] . "\r\n",
                'serverhttpprefix' => 'https',
            ];
        },
        'create' => static function (array $values) use ($run): array {
            $id = $values['service'];
            if (Whmcs::service($id) === []) {
                $letters = preg_replace('/[^a-z0-9]/', '', $values['domain']);
                $sql = 'insert into tblhosting (id, server, domainstatus, username)
                        values (?, 1, ?, ?)';
                $row = [(int) $id, 'Pending', substr($letters, 0, 8)];
                Capsule::$pdo->prepare($sql)->execute($row);
            }
            $order = ['domain', 'email', 'package', 'password'];
            Whmcs::set($id, array_intersect_key($values, array_flip($order)));
            $outcome = $run('CreateAccount', $id, ['domainstatus' => 'Active']);
            return $outcome + ['username' => Whmcs::service($id)['username']];
        },
        'suspend' => static function (array $values) use ($run): array {
            $reason = htmlspecialchars($values['reason'] ?? '', ENT_QUOTES);
            $more = ['suspendreason' => $reason];
            $after = ['domainstatus' => 'Suspended'];
            return $run('SuspendAccount', $values['service'], $after, $more);
        },
        'unsuspend' => static function (array $values) use ($run): array {
            return $run('UnsuspendAccount', $values['service'], ['domainstatus' => 'Active']);
        },
        'terminate' => static function (array $values) use ($run): array {
            return $run('TerminateAccount', $values['service'], ['domainstatus' => 'Terminated']);
        },
        'changePackage' => static function (array $values) use ($run): array {
            Whmcs::set($values['service'], ['package' => $values['package']]);
            return $run('ChangePackage', $values['service'], []);
        },
        'setPassword' => static function (array $values) use ($run): array {
            Whmcs::set($values['service'], ['password' => $values['password']]);
            return $run('ChangePassword', $values['service'], []);
        },
        'signOn' => static function (array $values): array {
            $params = Whmcs::params($values['service']);
            if ($values['isOld'] ?? false) {
                unset($params['status']);
            }
            $answer = panel_ServiceSingleSignOn($params);
            return $answer['success']
                ? ['ok' => true, 'message' => '', 'url' => $answer['redirectTo']]
                : ['ok' => false, 'message' => $answer['errorMsg']];
        },
        'test' => static function (): array {
            $answer = panel_TestConnection(Whmcs::$server);
            return ['ok' => $answer['success'], 'message' => $answer['error']];
        },
        'packages' => static function (): array {
            $options = panel_ConfigOptions(Whmcs::$server);
            try {
                $packages = $options['package']['Loader'](Whmcs::$server);
                return ['ok' => true, 'packages' => array_keys($packages)];
            } catch (\Exception $shown) {
                return ['ok' => false, 'message' => $shown->getMessage()];
            }
        },
        'usage' => static function (): array {
            return ['ok' => panel_UsageUpdate(Whmcs::$server) === null];
        },

        'changeEmail' => static function (array $values): array {
            $former = Whmcs::service($values['service']);
            Whmcs::set($values['service'], ['email' => $values['email']]);
            $client = $values['client'] ?? 7;
            $vars = ['userid' => $client, 'email' => $values['email'], 'olddata' => $former];
            // As when the panel was away at that time.
            foreach (($values['isMissed'] ?? false) ? [] : Whmcs::$hooks['ClientEdit'] as $hook) {
                $hook($vars);
            }
            return ['ok' => true, 'message' => ''];
        },

        // WHMCS's own actions.
        'addon' => static function (array $values): array {
            [$function, $addon] = [$values['function'], (int) $values['addon']];
            Whmcs::addon($addon, $values['columns'] ?? []);
            $params = Whmcs::params($values['service'], ['addonId' => $addon]);
            $result = ("panel_$function")($params);
            $username = Whmcs::$addons[$addon]['username'];
            return ['ok' => $result === 'success', 'message' => $result, 'username' => $username];
        },
        'unloadHooks' => static function (): void {
            \Panel\Whmcs\AdminTab::$hasHooks = false;
        },
        'query' => static function (array $values): void {
            Capsule::$pdo->exec($values['sql']);
        },
        'forget' => static function (): void {
            Capsule::$pdo->exec('delete from mod_panel_accounts');
        },
        'asked' => static function (array $values) {
            return ("panel_$values[function]")(Whmcs::params($values['service'] ?? '0'));
        },
        'metrics' => static function (array $values): array {
            $provider = panel_MetricProvider(Whmcs::$server);
            $plain = static function (array $metrics): array {
                return array_map(static function ($metric): array {
                    return [$metric->name, $metric->type, $metric->usage->value];
                }, $metrics);
            };
            return [
                'offered' => array_column($provider->metrics(), 'name'),
                'all' => array_map($plain, $provider->usage()),
                'one' => $plain($provider->tenantUsage($values['username'])),
            ];
        },
        'accounts' => static function (): array {
            return panel_ListAccounts(Whmcs::$server);
        },
        'service' => static function (array $values): array {
            return Whmcs::service($values['service']);
        },
        'setService' => static function (array $values): void {
            Whmcs::set($values['service'], $values['columns']);
        },
        'concealed' => static function (): array {
            return Whmcs::$concealed;
        },
        'function' => static function (array $values) {
            return ("panel_$values[name]")($values['params'] ?? []);
        },
        'functions' => static function (): array {
            $functions = get_defined_functions()['user'];
            return array_values(preg_grep('/^panel_/', $functions));
        },
        'addServices' => static function (array $values): void {
            Capsule::$pdo->beginTransaction();
            $sql = "insert into tblhosting (id, server, username, domainstatus)
                    values (?, 1, ?, 'Active')";
            $statement = Capsule::$pdo->prepare($sql);
            for ($id = 1; $id <= $values['count']; $id++) {
                $statement->execute([$id, $values['prefix'] . $id]);
            }
            Capsule::$pdo->commit();
        },
        'measured' => static function (): int {
            $sql = 'select count(*) from tblhosting where lastupdate is not null';
            return (int) Capsule::$pdo->query($sql)->fetchColumn();
        },
    ];
};
