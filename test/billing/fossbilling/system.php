<?php

// FOSSBilling's tables, and what it gives to a server manager.

namespace PanelTest;

/** FOSSBilling's own books: its only server, and the services of its orders. */
final class FossBilling
{
    public const ASTERISKS = '********';

    /** @var array<string, mixed> as it hands it to a manager */
    public static array $server = [];

    public static bool $isLogReporting = true;

    public static ?\ArrayObject $books = null;

    /** Whether its tables can be written. */
    public static bool $isOpen = true;

    private static ?\Box_Log $log = null;

    /** @var array<string, array<string, mixed>> by order */
    public static array $services = [];

    public static function open(): void
    {
        $database = new \PDO('sqlite::memory:');
        $database->exec(
            'create table client (id integer primary key, email text unique);
             create table extension_meta (
               id integer primary key, client_id integer, extension text, rel_type text,
               rel_id text, meta_key text, meta_value text, created_at text, updated_at text);
             create table client_order (
               id integer primary key, client_id integer, service_id integer, service_type text,
               status text);
             create table service_hosting (
               id integer primary key, client_id integer, sld text, tld text, username text)'
        );
        self::$books = $GLOBALS['di'] = new \ArrayObject(['pdo' => $database]);
    }

    /** Every order has a client. */
    public static function register(string $email): void
    {
        $sql = 'insert or ignore into client (email) values (?)';
        $GLOBALS['di']['pdo']->prepare($sql)->execute([$email]);
    }

    /** Belongs to a client, and so to all orders. */
    public static function changeEmail(string $from, string $to): void
    {
        $statement = $GLOBALS['di']['pdo']->prepare('update client set email = ? where email = ?');
        $statement->execute([$to, $from]);
        foreach (self::$services as &$service) {
            if (isset($service['email'])) {
                $service['email'] = $service['email'] === $from ? $to : $service['email'];
            }
        }
    }

    /** For an order its log says so; one log serves all of them. */
    public static function manager(string $order = ''): \Server_Manager
    {
        self::$log = self::$log ?? new \Box_Log();
        $manager = new \Server_Manager_Panel(self::$server);
        if ($order !== '' && self::$isLogReporting) {
            self::$log->setEventItem('client_order_id', (int) $order);
        }
        $manager->setLog(self::$log);
        return $manager;
    }

    /** Writes a service into its tables. */
    public static function store(string $order): void
    {
        if (!self::$isOpen) {
            return;
        }
        $pdo = $GLOBALS['di']['pdo'];
        $service = self::$services[$order];
        self::register($service['email']);
        [$sld, $tld] = explode('.', $service['domain'], 2) + [1 => ''];
        $pdo->prepare(
            "insert or replace into client_order
             values (?1, (select id from client where email = ?2), ?1, 'hosting', ?3)"
        )->execute([(int) $order, $service['email'], $service['status'] ?? 'pending_setup']);
        $pdo->prepare(
            'insert or replace into service_hosting
             values (?1, (select id from client where email = ?2), ?3, ?4, ?5)'
        )->execute([(int) $order, $service['email'], $sld, ".$tld", $service['username'] ?? null]);
    }

    /** Made again for each call, from the stored rows. */
    public static function account(array $service): \Server_Account
    {
        return (new \Server_Account())
            ->setUsername($service['username'])
            ->setPassword($service['password'])
            ->setDomain($service['domain'])
            ->setReseller($service['reseller'] ?? false)
            ->setIp('192.0.2.1')
            ->setClient(new \Server_Client($service['email']))
            ->setPackage(self::package($service['package']));
    }

    public static function package(string $plan): \Server_Package
    {
        // A plan with a name for customers has the package among its own settings.
        return $plan === 'bigger'
            ? new \Server_Package('For the bigger shop', ['package' => 'bigger'])
            : new \Server_Package($plan);
    }

    /** Sets an order up: what it has made up of name and password counts only if that succeeds. */
    public static function activate(array $order): void
    {
        $number = $order['service'];
        $former = self::$services[$number] ?? [];
        $service = ['username' => null, 'password' => $order['password']] + $order;
        $isCancelled = ($former['status'] ?? '') === 'cancelled';
        self::$services[$number] = ['username' => $former['username'] ?? null] + $order + $former;
        self::store($number);
        $service['username'] = $isCancelled
            ? $former['username']
            : ($order['username'] ?? self::manager()->generateUsername($order['domain']));
        self::manager($number)->createAccount(self::account($service));
        $stored = ['password' => self::ASTERISKS, 'status' => 'active'];
        self::$services[$number] = $stored + $service;
        self::store($number);
    }

    /** Whether the panel hears of what changes: only of what is active, and has not expired. */
    public static function performs(string $order): bool
    {
        return self::$services[$order]['status'] === 'active';
    }
}
