<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The accounts of each client, among the values that FOSSBilling stores for extensions. A manager
 * learns nothing of a client that stays the same, and customers write usernames and domains
 * themselves.
 */
final class AccountOwners
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

    /** Identifies this FOSSBilling: orders of others have the same numbers. */
    public function installation(): string
    {
        $select = "select meta_value from extension_meta
                   where extension = ? and meta_key = 'installation' order by id limit 1";
        $found = (string) $this->run($select, [self::EXTENSION])->fetchColumn();
        if ($found !== '') {
            return $found;
        }
        $this->run(
            "insert into extension_meta (extension, meta_key, meta_value, created_at)
             values (?, 'installation', ?, ?)",
            [self::EXTENSION, bin2hex(random_bytes(6)), date('Y-m-d H:i:s')]
        );
        // The first one of two concurrent processes decides.
        return (string) $this->run($select, [self::EXTENSION])->fetchColumn();
    }

    /** Whether an order is the client's, for the domain, and has this username or none yet. */
    public function isOrder(int $order, int $client, string $domain, string $username): bool
    {
        $found = $this->run(
            "select s.sld, s.tld, s.username
             from client_order o join service_hosting s on s.id = o.service_id
             where o.id = ? and o.client_id = ? and o.service_type = 'hosting'",
            [$order, $client]
        )->fetch(\PDO::FETCH_ASSOC);
        if (!is_array($found)) {
            return false;
        }
        $stored = Names::folded((string) $found['username']);
        return Names::domain("$found[sld]$found[tld]") === $domain
            && in_array($stored, ['', $username], true);
    }

    /** @return int[] the other orders that have an account of this name */
    public function othersWith(string $username, int $order): array
    {
        $found = $this->run(
            "select o.id from client_order o join service_hosting s on s.id = o.service_id
             where o.service_type = 'hosting' and lower(s.username) = ? and o.id <> ?
               and o.status in ('active', 'suspended')",
            [$username, $order]
        );
        return array_map('intval', $found->fetchAll(\PDO::FETCH_COLUMN));
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

    /** @return string what is recorded of an account: its `made_at`, `order` or `seller`, or '' */
    public function of(string $username, string $what): string
    {
        $found = $this->run(
            'select meta_value from extension_meta
             where extension = ? and rel_type = ? and rel_id = ? and meta_key = ?',
            [self::EXTENSION, $this->server, $username, $what]
        );
        return (string) $found->fetchColumn();
    }

    /** @return string another server that the order's account was made on last; '' for none */
    public function elsewhere(int $order): string
    {
        $found = $this->run(
            "select rel_type from extension_meta
             where extension = ? and meta_key = 'order' and meta_value = ? and rel_type <> ?",
            [self::EXTENSION, "$order", $this->server]
        );
        return (string) $found->fetchColumn();
    }

    /** @param array<string, mixed> $account */
    public function save(array $account, int $client, int $order): void
    {
        $username = $account['username'];
        $seller = Expected::seller($account);
        $this->forget($username, $order);
        $values = ['made_at' => $account['created_at']];
        $values += ['order' => "$order", 'seller' => $seller];
        foreach (array_diff($values, ['', '0']) as $key => $value) {
            $this->run(
                'insert into extension_meta
                   (client_id, extension, rel_type, rel_id, meta_key, meta_value, created_at)
                 values (?, ?, ?, ?, ?, ?, ?)',
                [
                    $client,
                    self::EXTENSION,
                    $this->server,
                    $username,
                    $key,
                    $value,
                    date('Y-m-d H:i:s'),
                ]
            );
        }
    }

    /** The account, and which one the order has, be it on another server. */
    public function forget(string $username, int $order): void
    {
        $this->run(
            "delete from extension_meta where extension = ?
               and (rel_type = ? and rel_id = ? or meta_key = 'order' and meta_value = ?)",
            [self::EXTENSION, $this->server, $username, "$order"]
        );
    }

    /** As StoredLink::attempts() has them, whichever server the order has. */
    public function attemptsOf(int $order): string
    {
        $found = $this->run(
            "select meta_value from extension_meta
             where extension = ? and meta_key = 'attempts' and rel_type = 'order' and rel_id = ?
             order by id desc limit 1",
            [self::EXTENSION, "$order"]
        );
        return (string) $found->fetchColumn();
    }

    public function saveAttempts(int $order, string $attempts): void
    {
        if ($attempts !== '') {
            $this->run(
                "insert into extension_meta
                   (extension, rel_type, rel_id, meta_key, meta_value, created_at)
                 values (?, 'order', ?, 'attempts', ?, ?)",
                [self::EXTENSION, "$order", $attempts, date('Y-m-d H:i:s')]
            );
        }
        // Afterwards, so that nothing is lost in between.
        $this->run(
            "delete from extension_meta
             where extension = ? and meta_key = 'attempts' and rel_type = 'order' and rel_id = ?
               and meta_value <> ?",
            [self::EXTENSION, "$order", $attempts]
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
     * @throws Failure where the account's client cannot be read
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
