<?php

// WHMCS's database, with SQLite in the place of MySQL.

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

        public static function schema(): Schema
        {
            return new Schema();
        }

        public function update(string $sql, array $bindings): int
        {
            $statement = self::$pdo->prepare($sql);
            $statement->execute($bindings);
            return $statement->rowCount();
        }
    }

    final class Schema
    {
        public function hasTable(string $name): bool
        {
            $sql = 'select 1 from sqlite_master where name = ?';
            $statement = Capsule::$pdo->prepare($sql);
            $statement->execute([$name]);
            return $statement->fetch() !== false;
        }

        public function create(string $name, callable $describe): void
        {
            $columns = new Columns();
            $describe($columns);
            Capsule::$pdo->exec("create table $name (" . implode(', ', $columns->all) . ')');
        }
    }

    final class Columns
    {
        /** @var string[] */
        public $all = [];

        public function string(string $name, int $length): self
        {
            $this->all[] = "$name varchar($length)";
            return $this;
        }

        public function integer(string $name): self
        {
            $this->all[] = "$name integer";
            return $this;
        }

        public function primary(): self
        {
            $this->all[count($this->all) - 1] .= ' primary key';
            return $this;
        }

        public function index(): self
        {
            return $this;
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

        public function where($column, $operator = null, $value = null): self
        {
            if (is_array($column)) {
                foreach ($column as $name => $expected) {
                    $this->where($name, $expected);
                }
                return $this;
            }
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

        public function join(string $table, string $one, string $operator, string $other): self
        {
            $this->table .= " join $table on $one $operator $other";
            return $this;
        }

        public function pluck(string $column, ?string $key = null): \ArrayObject
        {
            $rows = $this->run($key === null ? "select $column from" : "select $key, $column from");
            $mode = $key === null ? \PDO::FETCH_COLUMN : \PDO::FETCH_KEY_PAIR;
            return new \ArrayObject($rows->fetchAll($mode));
        }

        public function first(): ?object
        {
            return $this->run('select * from')->fetch(\PDO::FETCH_OBJ) ?: null;
        }

        public function insertOrIgnore(array $row): void
        {
            $marks = implode(', ', array_fill(0, count($row), '?'));
            $columns = implode(', ', array_keys($row));
            $sql = "insert or ignore into $this->table ($columns) values ($marks)";
            Capsule::$pdo->prepare($sql)->execute(array_values($row));
        }

        public function delete(): void
        {
            $this->run('delete from');
        }

        public function updateOrInsert(array $which, array $values): void
        {
            (new self($this->table))->where($which)->delete();
            $row = $which + $values;
            $marks = implode(', ', array_fill(0, count($row), '?'));
            $columns = implode(', ', array_keys($row));
            $sql = "insert into $this->table ($columns) values ($marks)";
            Capsule::$pdo->prepare($sql)->execute(array_values($row));
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
