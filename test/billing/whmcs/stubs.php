<?php

// The parts of WHMCS that the module uses: its log, its hooks and its tables.

namespace {
    require_once __DIR__ . '/database.php';
    require_once __DIR__ . '/features.php';

    define('WHMCS', true);

    function logModuleCall($module, $action, $request, $response, $processed, array $secrets): void
    {
        // Runs before WHMCS itself conceals the strings that the module named.
        PanelTest\Recorder::log([$module, $action, $request, $response, $processed]);
        PanelTest\Whmcs::$concealed = $secrets;
    }

    function add_hook(string $name, int $priority, callable $work): void
    {
        PanelTest\Whmcs::$hooks[$name][] = $work;
    }

    function localAPI(string $command, array $values): array
    {
        if ($command !== 'ModuleCustom') {
            throw new LogicException("There is no $command");
        }
        $params = PanelTest\Whmcs::params((string) $values['serviceid']);
        return ['result' => ("panel_$values[func_name]")($params)];
    }
}

namespace PanelTest {
    use WHMCS\Database\Capsule;

    final class Whmcs
    {
        /** @var string[] the strings that WHMCS had to conceal last */
        public static $concealed = [];

        /** @var array<string, string> */
        public static $server = [];

        /** @var array<int, array<string, string>> */
        public static $addons = [];

        /** @var array<string, callable[]> */
        public static $hooks = [];

        public static function open(): void
        {
            Capsule::$pdo = new \PDO('sqlite::memory:');
            Capsule::$pdo->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
            Capsule::$pdo->exec(
                'create table tblhosting (
                   id integer primary key, server integer, domain text, username text,
                   password text, email text, package text, domainstatus text,
                   diskusage integer, disklimit integer, bwusage integer, bwlimit integer,
                   lastupdate text, userid integer default 7, packageid integer default 3);
                 create table tblhostingaddons (id integer primary key, status text);
                 create table tblproducts (id integer primary key, servertype text);
                 insert into tblproducts values (3, \'panel\'), (4, \'other\')'
            );
        }

        public static function service(string $id): array
        {
            $rows = Capsule::$pdo->query('select * from tblhosting where id = ' . (int) $id);
            return $rows->fetch(\PDO::FETCH_ASSOC) ?: [];
        }

        /** An addon's username is kept with its properties. */
        public static function addon(int $id, array $values): void
        {
            self::$addons[$id] = $values + (self::$addons[$id] ?? []);
            $sql = 'insert or replace into tblhostingaddons values (?, ?)';
            Capsule::$pdo->prepare($sql)->execute([$id, self::$addons[$id]['status']]);
        }

        public static function set(string $id, array $values): void
        {
            foreach ($values as $column => $value) {
                $sql = "update tblhosting set $column = ? where id = ?";
                Capsule::$pdo->prepare($sql)->execute([$value, (int) $id]);
            }
        }

        /** All that WHMCS gives to a module's function. */
        public static function params(string $id, array $more = []): array
        {
            $row = self::service($id);
            $addon = $more['addonId'] ?? 0;
            $row = $addon > 0 ? self::$addons[$addon] + ['domain' => ''] + $row : $row;
            $entities = static function (string $text): string {
                return htmlspecialchars($text, ENT_QUOTES);
            };
            return self::$server + $more + [
                'serviceid' => (int) $id,
                'userid' => 7,
                'pid' => 3,
                'domain' => $row['domain'] ?? '',
                'username' => $row['username'] ?? '',
                'password' => $entities($row['password'] ?? ''),
                'producttype' => 'hostingaccount',
                'moduletype' => 'panel',
                'configoption1' => $row['package'] ?? '',
                'clientsdetails' => [
                    'email' => $entities($row['email'] ?? ''),
                    'firstname' => 'Alice',
                ],
                'customfields' => [],
                'configoptions' => [],
                'status' => $row['status'] ?? $row['domainstatus'] ?? '',
                'model' => new Service($id, $addon),
            ];
        }
    }

    final class Service
    {
        /** @var self as WHMCS has it: properties of a service are kept apart from its columns */
        public $serviceProperties;

        /** @var string */
        public $domainstatus;

        private $id;

        private $addon;

        public function __construct(string $id, int $addon = 0)
        {
            $this->id = $id;
            $this->addon = $addon;
            $this->serviceProperties = $this;
            $this->domainstatus = Whmcs::service($id)['domainstatus'] ?? '';
        }

        public function save(array $values): void
        {
            $row = ['username' => $values['Username']];
            $this->addon > 0 ? Whmcs::addon($this->addon, $row) : Whmcs::set($this->id, $row);
        }
    }
}
