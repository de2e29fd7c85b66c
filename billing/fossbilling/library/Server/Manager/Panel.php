<?php

/**
 * The panel's server manager for FOSSBilling, version @version@.
 *
 * FOSSBilling takes every PHP file around this one for a server manager: so all is in here.
 */

declare(strict_types=1);

use Panel\Billing\AccountOwners;
use Panel\Billing\Client;
use Panel\Billing\Clients;
use Panel\Billing\Failure;
use Panel\Billing\Names;
use Panel\Billing\Order;
use Panel\Billing\OrderNumber;
use Panel\Billing\PanelConnection;
use Panel\Billing\Provisioning;

class Server_Manager_Panel extends Server_Manager
{
    // A username has 32 characters; the rest of them are taken from the domain.
    private const MAX_PREFIX = 16;

    public static function getForm(): array
    {
        return [
            'label' => 'Panel',
            'form' => [
                'credentials' => [
                    'fields' => [
                        [
                            // A column of FOSSBilling's own: it has no others for secrets.
                            'name' => 'accesshash',
                            'type' => 'password',
                            'label' => 'API token',
                            'placeholder' => 'Token of an administrator or a reseller of the panel',
                            'required' => true,
                            'secret' => true,
                        ],
                    ],
                ],
            ],
        ];
    }

    /** FOSSBilling calls this when it makes the manager. */
    public function init(): void
    {
        $server = $this->connection();
        $needed = ['hostname' => $server->host(), 'API token' => $server->token()];
        foreach ($needed as $what => $value) {
            if ($value === '') {
                throw new Server_Exception(
                    'The ":server_manager" server manager is not fully configured.'
                        . ' Please configure the :missing',
                    [':server_manager' => 'Panel', ':missing' => $what],
                    2001
                );
            }
        }
    }

    public function getPort(): int
    {
        return $this->attempt(fn (): int => $this->connection()->address()->port);
    }

    /**
     * Without an account FOSSBilling renders a page and needs the panel's address; with one, a user
     * has clicked.
     */
    public function getLoginUrl(?Server_Account $account = null): string
    {
        return $this->attempt(function () use ($account): string {
            if ($account === null) {
                return $this->connection()->address()->url();
            }
            $panel = $this->panelFor($account, Client::FOR_A_PAGE);
            return $panel->signOnLink($this->usernameOf($account));
        });
    }

    public function getResellerLoginUrl(?Server_Account $account = null): string
    {
        return $this->getLoginUrl($account);
    }

    public function testConnection(): bool
    {
        $this->attempt(fn () => $this->panel(Client::FOR_A_PAGE)->test());
        return true;
    }

    /**
     * The same for the same domain, always: FOSSBilling stores it only once the account is made,
     * and asks again before each further try.
     *
     * @param string $domain
     */
    public function generateUsername($domain): string
    {
        $entered = Names::folded((string) ($this->_config['config']['userprefix'] ?? ''));
        $letters = (string) preg_replace('/^[^a-z]+|[^a-z0-9]/', '', $entered);
        $name = Names::usernames(Names::domain((string) $domain), '')[0];
        return substr($letters, 0, self::MAX_PREFIX) . $name;
    }

    public function createAccount(Server_Account $account): bool
    {
        if ($account->getReseller()) {
            throw new Server_Exception(
                'The panel makes hosting accounts only: an order for a reseller cannot be set up.'
            );
        }
        $this->attempt(function () use ($account): void {
            $clients = $this->clientsFor($account);
            $name = $this->usernameOf($account);
            $made = $this->panel()->createAs($name, $clients->order(), $clients);
            $clients->save($made);
        });
        return true;
    }

    /** FOSSBilling stores the username and the address; it may show other values. */
    public function synchronizeAccount(Server_Account $account): Server_Account
    {
        return $this->attempt(function () use ($account): Server_Account {
            $username = $this->usernameOf($account);
            $panel = $this->panel(Client::FOR_A_PAGE);
            $clients = $this->clientsFor($account);
            if ($panel->find($username) === null) {
                throw new Failure("The panel server has no account $username for this token.");
            }
            $found = $panel->own($username, $clients->order(), $clients);
            $updated = clone $account;
            $updated->setUsername($username);
            $updated->setDomain($found['domain'] ?? $account->getDomain());
            $updated->setSuspended($found['state'] === 'suspended');
            return $updated;
        });
    }

    public function suspendAccount(Server_Account $account): bool
    {
        // FOSSBilling passes a reason on here, if at all.
        [$name, $reason] = [$this->usernameOf($account), (string) $account->getNote()];
        $this->attempt(fn () => $this->panelFor($account)->suspend($name, $reason));
        return true;
    }

    public function unsuspendAccount(Server_Account $account): bool
    {
        $name = $this->usernameOf($account);
        $this->attempt(fn () => $this->panelFor($account)->unsuspend($name));
        return true;
    }

    public function cancelAccount(Server_Account $account): bool
    {
        $this->attempt(function () use ($account): void {
            [$clients, $name] = [$this->clientsFor($account), $this->usernameOf($account)];
            // An order that was never set up, of which nothing is known, could not be removed.
            if ($name !== '' || $clients->order()->reference !== '') {
                $this->panel()->terminate($name, $clients->order(), $clients);
                $clients->forget($name);
            }
        });
        return true;
    }

    public function changeAccountPackage(Server_Account $account, Server_Package $package): bool
    {
        [$name, $to] = [$this->usernameOf($account), $this->nameOf($package)];
        $this->attempt(fn () => $this->panelFor($account)->changePackage($name, $to));
        return true;
    }

    public function changeAccountPassword(
        Server_Account $account,
        #[\SensitiveParameter]
        string $newPassword
    ): bool {
        $name = $this->usernameOf($account);
        // Asked for on a page, by staff or the customer.
        $panel = fn () => $this->panelFor($account, Client::FOR_A_PAGE);
        $this->attempt(fn () => $panel()->setPassword($name, $newPassword));
        return true;
    }

    public function changeAccountUsername(Server_Account $account, string $newUsername): bool
    {
        throw $this->unsupported('changing the username of an account');
    }

    public function changeAccountDomain(Server_Account $account, string $newDomain): bool
    {
        throw $this->unsupported('changing the domain of an account');
    }

    public function changeAccountIp(Server_Account $account, string $newIp): bool
    {
        throw $this->unsupported('changing the IP address of an account');
    }

    private function unsupported(string $action): Server_Exception
    {
        $values = [':type:' => 'Panel', ':action:' => $action];
        return new Server_Exception(':type: does not support :action:', $values);
    }

    /**
     * @template T
     * @param callable(): T $work
     * @return T
     */
    private function attempt(callable $work)
    {
        try {
            return $work();
        } catch (Failure $failure) {
            throw new Server_Exception($failure->getMessage());
        }
    }

    /** @param array<string, mixed> $options of the client */
    private function panel(array $options = []): Provisioning
    {
        return $this->connection()->panel(__DIR__ . '/Panel/ca.pem', $options);
    }

    /**
     * For an account that is the client's. Customers have been able to write any username and
     * domain into an order, and are signed on for all of their orders.
     *
     * @param array<string, mixed> $options of the client
     */
    private function panelFor(Server_Account $account, array $options = []): Provisioning
    {
        $panel = $this->panel($options);
        $clients = $this->clientsFor($account);
        $panel->own($this->usernameOf($account), $clients->order(), $clients);
        return $panel;
    }

    private function clientsFor(Server_Account $account): Clients
    {
        $address = $this->connection()->address();
        return new Clients(
            $this->orderOf($account),
            AccountOwners::open($address),
            $address->url(),
            $this->usernameOf($account),
            OrderNumber::in($this->getLog())
        );
    }

    private function connection(): PanelConnection
    {
        return new PanelConnection($this->_config, fn (): object => $this->getLog());
    }

    private function orderOf(Server_Account $account): Order
    {
        $client = $account->getClient();
        return new Order([
            'domain' => (string) $account->getDomain(),
            'email' => $client === null ? '' : (string) $client->getEmail(),
            'package' => $this->nameOf($account->getPackage()),
            // Only for a create: afterwards FOSSBilling has asterisks in its place.
            'password' => (string) $account->getPassword(),
        ]);
    }

    /** A plan is named like its package, or has the name of it among its own settings. */
    private function nameOf(Server_Package $package): string
    {
        $named = trim((string) $package->getCustomValue('package'));
        return $named !== '' ? $named : trim((string) $package->getName());
    }

    /** Customers may have chosen it, in their own spelling. */
    private function usernameOf(Server_Account $account): string
    {
        return Names::folded((string) $account->getUsername());
    }
}
