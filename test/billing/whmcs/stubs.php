<?php

// What WHMCS brings, as far as the module uses it: its log, and its table of services, with SQLite
// in the place of MySQL.

namespace {
    define('WHMCS', true);

    function logModuleCall($module, $action, $request, $response, $processed, array $secrets): void
    {
        // Before WHMCS conceals by itself what it is told to.
        PanelTest\Recorder::log([$module, $action, $request, $response, $processed]);
        PanelTest\Whmcs::$concealed = $secrets;
    }
}

namespace WHMCS\Database {
    final class Capsule
    {
        /** @var \PDO */
        public static $pdo;

        public static function table(string $name): Query
        {
            return new Query($name);
        }

        public static function connection(): self
        {
            return new self();
        }

        public function update(string $sql, array $bindings): int
        {
            $statement = self::$pdo->prepare($sql);
            $statement->execute($bindings);
            return $statement->rowCount();
        }
    }

    final class Query
    {
        private $table;
        private $conditions = ['1 = 1'];
        private $bindings = [];

        public function __construct(string $table)
        {
            $this->table = $table;
        }

        public function where(string $column, $operator, $value = null): self
        {
            [$operator, $value] = func_num_args() === 2 ? ['=', $operator] : [$operator, $value];
            $this->conditions[] = "$column $operator ?";
            $this->bindings[] = $value;
            return $this;
        }

        public function whereIn(string $column, array $values): self
        {
            $marks = implode(', ', array_fill(0, count($values), '?'));
            $this->conditions[] = "$column in ($marks)";
            $this->bindings = array_merge($this->bindings, $values);
            return $this;
        }

        public function exists(): bool
        {
            return $this->run('select 1 from')->fetch() !== false;
        }

        public function pluck(string $column, string $key): \ArrayObject
        {
            $rows = $this->run("select $key, $column from");
            return new \ArrayObject($rows->fetchAll(\PDO::FETCH_KEY_PAIR));
        }

        private function run(string $start): \PDOStatement
        {
            $conditions = implode(' and ', $this->conditions);
            $statement = Capsule::$pdo->prepare("$start $this->table where $conditions");
            $statement->execute($this->bindings);
            return $statement;
        }
    }
}

namespace PanelTest {
    use WHMCS\Database\Capsule;

    final class Whmcs
    {
        /** @var string[] what WHMCS was told to conceal last */
        public static $concealed = [];

        /** @var array<string, string> */
        public static $server = [];

        public static function open(): void
        {
            Capsule::$pdo = new \PDO('sqlite::memory:');
            Capsule::$pdo->setAttribute(\PDO::ATTR_ERRMODE, \PDO::ERRMODE_EXCEPTION);
            Capsule::$pdo->exec(
                'create table tblhosting (
                   id integer primary key, server integer, domain text, username text,
                   password text, email text, package text, domainstatus text,
                   diskusage integer, disklimit integer, bwusage integer, bwlimit integer,
                   lastupdate text)'
            );
        }

        public static function service(string $id): array
        {
            $rows = Capsule::$pdo->query('select * from tblhosting where id = ' . (int) $id);
            return $rows->fetch(\PDO::FETCH_ASSOC) ?: [];
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
                'status' => $row['domainstatus'] ?? '',
                'model' => new Service($id),
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

        public function __construct(string $id)
        {
            $this->id = $id;
            $this->serviceProperties = $this;
            $this->domainstatus = Whmcs::service($id)['domainstatus'] ?? '';
        }

        public function save(array $values): void
        {
            Whmcs::set($this->id, ['username' => $values['Username']]);
        }
    }
}
