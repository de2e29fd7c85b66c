<?php

// Blesta's tables, in SQLite instead of MySQL, and the models that a module uses.

namespace {
    /** Builds statements as Blesta's component does, from the same calls. */
    final class Record
    {
        private $columns = '';
        private $from = '';
        private $conditions = ['1 = 1'];
        private $bindings = [];

        public function select(array $columns): self
        {
            $this->columns = implode(', ', $columns);
            [$this->conditions, $this->bindings] = [['1 = 1'], []];
            return $this;
        }

        public function from(string $table): self
        {
            $this->from = $table;
            return $this;
        }

        public function innerJoin($table, $one, $operator, $other, $isBound = true): self
        {
            // By default Blesta takes the other side of a condition for a value.
            $this->from .= " join $table on $one $operator " . ($isBound ? "'$other'" : $other);
            return $this;
        }

        public function where(string $column, string $operator, $value): self
        {
            $values = (array) $value;
            $marks = implode(', ', array_fill(0, count($values), '?'));
            $this->conditions[] = "$column $operator " . ($operator === 'in' ? "($marks)" : '?');
            array_push($this->bindings, ...$values);
            return $this;
        }

        public function fetch()
        {
            return $this->run()->fetch(PDO::FETCH_OBJ);
        }

        public function numResults(): int
        {
            return count($this->run()->fetchAll());
        }

        private function run(): PDOStatement
        {
            $conditions = implode(' and ', $this->conditions);
            $sql = "select $this->columns from $this->from where $conditions";
            $statement = PanelTest\Blesta::$pdo->prepare($sql);
            $statement->execute($this->bindings);
            return $statement;
        }
    }
}

namespace PanelTest\Models {
    use PanelTest\Blesta;

    final class Clients
    {
        public function get($id, $withSettings = true)
        {
            return Blesta::one('clients', (int) $id) ?? false;
        }
    }

    final class Services
    {
        private $errors = false;

        public function get($id)
        {
            return Blesta::service((int) $id) ?? false;
        }

        public function editField($id, array $field): void
        {
            Blesta::storeField((int) $id, $field);
        }

        /** Stores what the module reports as done. */
        public function edit($id, array $vars): void
        {
            $this->errors = Blesta::edit((int) $id, $vars);
        }

        public function errors()
        {
            return $this->errors;
        }
    }

    final class ModuleManager
    {
        public function getGroup($id)
        {
            $group = ['add_order' => 'first', 'rows' => Blesta::rowsOf(1)];
            return $id === 1 ? (object) $group : false;
        }
    }
}

namespace PanelTest {
    /** Does to services as Blesta itself does. */
    final class Blesta
    {
        /** @var \PDO */
        public static $pdo;

        /** @var Tried */
        public static $module;

        /** @var array<int, array<string, mixed>> the meta of each module row */
        public static $rows = [];

        /** @var bool whether its log fails */
        public static $isLogFull = false;

        public static function open(): void
        {
            self::$pdo = new \PDO('sqlite::memory:');
            self::$pdo->exec("
                create table clients (id integer primary key, email text unique);
                create table services (
                    id integer primary key, client_id int, module_row_id int default 1,
                    package text, status text default 'pending', suspension_reason text);
                create table service_fields (
                    service_id int, key text, value text, encrypted int, unique (service_id, key))
            ");
        }

        public static function row($id)
        {
            $meta = self::$rows[(int) $id] ?? null;
            return $meta === null ? false : (object) ['id' => (int) $id, 'meta' => (object) $meta];
        }

        public static function rowsOf($group): array
        {
            return $group === null || (int) $group === 1
                ? array_map([self::class, 'row'], array_keys(self::$rows))
                : [];
        }

        public static function package(string $name): object
        {
            return (object) ['meta' => (object) ['package' => $name, 'domain' => 'optional']];
        }

        public static function one(string $table, int $id): ?object
        {
            $found = self::$pdo->query("select * from $table where id = $id");
            return $found->fetch(\PDO::FETCH_OBJ) ?: null;
        }

        public static function service(int $id): ?object
        {
            $service = self::one('services', $id);
            if ($service !== null) {
                $fields = self::$pdo->query(
                    "select * from service_fields where service_id = $id order by rowid"
                );
                $service->fields = $fields->fetchAll(\PDO::FETCH_OBJ);
                self::$module->setModuleRow(self::row($service->module_row_id));
            }
            return $service;
        }

        public static function clientOf(string $email): int
        {
            self::run('insert or ignore into clients (email) values (?)', [$email]);
            $found = self::run('select id from clients where email = ?', [$email]);
            return (int) $found->fetchColumn();
        }

        /** Sets columns of a service; a new id makes one. */
        public static function set(int $id, array $columns): void
        {
            self::run('insert or ignore into services (id) values (?)', [$id]);
            foreach ($columns as $name => $value) {
                self::run("update services set $name = ? where id = ?", [$value, $id]);
            }
        }

        /** Stores everything that a module returns for a service. */
        public static function store(int $id, array $meta): void
        {
            self::run('delete from service_fields where service_id = ?', [$id]);
            foreach ($meta as ['key' => $key, 'value' => $value, 'encrypted' => $encrypted]) {
                self::run('insert into service_fields values (?, ?, ?, ?)', [
                    $id,
                    $key,
                    $value,
                    $encrypted,
                ]);
            }
        }

        public static function storeField(int $id, array $field): void
        {
            self::run('delete from service_fields where service_id = ? and key = ?', [
                $id,
                $field['key'],
            ]);
            self::run('insert into service_fields values (?, ?, ?, ?)', [
                $id,
                $field['key'],
                $field['value'],
                $field['encrypted'] ?? 0,
            ]);
        }

        /** @return array|false */
        public static function edit(int $id, array $vars)
        {
            $service = self::service($id);
            $package = self::package((string) $service->package);
            $meta = self::$module->editService($package, $service, $vars);
            if (!self::$module->errors()) {
                self::store($id, $meta);
            }
            return self::$module->errors();
        }

        private static function run(string $sql, array $bindings): \PDOStatement
        {
            $statement = self::$pdo->prepare($sql);
            $statement->execute($bindings);
            return $statement;
        }
    }
}
