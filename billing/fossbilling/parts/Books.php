<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Which client has which account, among what FOSSBilling keeps for extensions. A manager is told
 * nothing of a client that stays the same, and customers write usernames and domains themselves.
 */
final class Books
{
    private const EXTENSION = 'server_manager_panel';

    /** @var \PDO */
    private $database;

    /** @var string where the panel is */
    private $server;

    private function __construct(\PDO $database, string $server)
    {
        $this->database = $database;
        $this->server = $server;
    }

    /**
     * Null where this FOSSBilling does not let a manager at its database.
     *
     * @throws Failure where it does, and the database is away
     */
    public static function open(Address $address): ?self
    {
        $database = self::read(static function () {
            return $GLOBALS['di']['pdo'] ?? null;
        });
        return $database instanceof \PDO ? new self($database, $address->authority()) : null;
    }

    /** The client who has this address now: FOSSBilling has none twice. */
    public function clientOf(string $email): int
    {
        $found = $this->run('select id from client where email = ?', [$email]);
        return (int) $found->fetchColumn();
    }

    /**
     * @param array<string, mixed> $account
     * @return int 0 where nothing is written down of it
     */
    public function ownerOf(array $account): int
    {
        $found = $this->run(
            'select client_id from extension_meta
             where extension = ? and rel_type = ? and rel_id = ? and meta_value = ?',
            [self::EXTENSION, $this->server, $account['username'], $account['created_at']]
        );
        return (int) $found->fetchColumn();
    }

    /** @param array<string, mixed> $account */
    public function save(array $account, int $client): void
    {
        $this->forget($account['username']);
        $this->run(
            'insert into extension_meta
               (client_id, extension, rel_type, rel_id, meta_key, meta_value, created_at)
             values (?, ?, ?, ?, ?, ?, ?)',
            [
                $client,
                self::EXTENSION,
                $this->server,
                $account['username'],
                'made_at',
                $account['created_at'],
                date('Y-m-d H:i:s'),
            ]
        );
    }

    public function forget(string $username): void
    {
        $this->run(
            'delete from extension_meta where extension = ? and rel_type = ? and rel_id = ?',
            [self::EXTENSION, $this->server, $username]
        );
    }

    private function run(string $sql, array $values): \PDOStatement
    {
        return self::read(function () use ($sql, $values): \PDOStatement {
            $statement = $this->database->prepare($sql);
            $statement->execute($values);
            return $statement;
        });
    }

    /**
     * @template T
     * @param callable(): T $work
     * @return T
     * @throws Failure where nobody knows now whose account it is
     */
    private static function read(callable $work)
    {
        try {
            return $work();
        } catch (\Throwable $unreadable) {
            throw new Failure(
                'It is not known whose account it is: the tables of FOSSBilling cannot be read ('
                    . get_class($unreadable) . ' ' . $unreadable->getCode() . ').'
            );
        }
    }
}
