<?php

declare(strict_types=1);

namespace Paymenter\Extensions\Servers\Panel;

use App\Attributes\ExtensionMeta;
use App\Classes\Extension\Server;
use App\Models\Product;
use App\Models\Service;
use App\Rules\Domain;
use Illuminate\Support\Facades\Event;
use Panel\Billing\Addresses;
use Panel\Billing\AccountLink;
use Panel\Billing\Client;
use Panel\Billing\Connection;
use Panel\Billing\Termination;
use Panel\Billing\Failure;
use Panel\Billing\Order;
use Panel\Billing\Page;
use Panel\Billing\Provisioning;
use Panel\Billing\Release;
use Panel\Billing\Text;

require_once __DIR__ . '/Api/autoload.php';

/**
 * The panel's extension for Paymenter.
 *
 * Paymenter's jobs take no returned value for a failure: every operation throws or has succeeded.
 */
#[ExtensionMeta(
    name: 'Panel',
    description: 'Hosting accounts of a panel server.',
    version: '@version@',
    author: 'The panel\'s authors',
)]
class Panel extends Server
{
    public function getConfig($values = []): array
    {
        return [
            [
                'name' => 'host',
                'type' => 'text',
                'label' => 'Panel server',
                'description' => 'Its host name, as its certificate has it.',
                'placeholder' => 'panel.example.com',
                'required' => true,
            ],
            [
                'name' => 'port',
                'type' => 'number',
                'label' => 'Port',
                'default' => 8443,
                'min_value' => 1,
                'max_value' => 65535,
                'required' => false,
            ],
            [
                'name' => 'token',
                'type' => 'password',
                'label' => 'API token',
                'description' => 'Of an administrator or a reseller of the panel.',
                'required' => true,
                'encrypted' => true,
            ],
            [
                'name' => 'ca_file',
                'type' => 'text',
                'label' => 'File of certificates',
                'description' => 'Only where the panel has a certificate of an authority of your'
                    . ' own: the path of that authority\'s certificate (PEM) on this server.',
                'required' => false,
            ],
        ];
    }

    public function testConfig(): bool|string
    {
        try {
            $this->connection()->panel(Client::FOR_A_PAGE)->test();
            return Release::problem() ?: true;
        } catch (\Throwable $thrown) {
            return Text::line($thrown->getMessage());
        }
    }

    /** The error is shown next to the field: the product can still be edited. */
    public function getProductConfig($values = []): array
    {
        $package = ['name' => 'package', 'label' => 'Package', 'required' => true];
        try {
            $offer = $this->connection()->panel(Client::FOR_A_PAGE)->packages();
            $package += ['type' => 'select', 'options' => $offer];
        } catch (Failure $failure) {
            $package += ['type' => 'text', 'description' => $failure->getMessage()];
        }
        return [
            $package,
            [
                'name' => 'require_domain',
                'type' => 'checkbox',
                'label' => 'Orders need a domain',
                'description' => 'An order without one is an account without a website.',
                'default' => true,
                'required' => false,
            ],
        ];
    }

    public function getCheckoutConfig(?Product $product = null, $values = [], $settings = []): array
    {
        $isRequired = (bool) ($settings['require_domain'] ?? true);
        return [
            [
                'name' => 'domain',
                'type' => 'text',
                'label' => 'Domain',
                'placeholder' => 'example.com',
                'required' => $isRequired,
                'validation' => [$isRequired ? 'required' : 'nullable', new Domain()],
            ],
        ];
    }

    /** @return array<string, string> for the mail that Paymenter sends */
    public function createServer(Service $service, $settings, $properties): array
    {
        $connection = $this->connection();
        $order = $this->orderOf($service, $settings, $properties);
        $link = AccountLink::of($service, $properties, $connection->url());
        $order->username = $link->isSealed() ? $link->username() : '';
        // The customer signs on with a link, or generates a new password: this one is not stored.
        $order->password = self::newPassword();
        $account = $connection->panel()->create($order, null, $link);
        // Where this fails, a repeat finds the account by its reference.
        $link->save($account);
        return [
            'username' => $account['username'],
            'domain' => $order->domain,
            'url' => $connection->url(),
        ];
    }

    public function suspendServer(Service $service, $settings, $properties): bool
    {
        [$panel, $username] = $this->own($service, $settings, $properties);
        $panel->suspend($username);
        return true;
    }

    public function unsuspendServer(Service $service, $settings, $properties): bool
    {
        [$panel, $username] = $this->own($service, $settings, $properties);
        $panel->unsuspend($username);
        return true;
    }

    public function terminateServer(Service $service, $settings, $properties): bool
    {
        $order = $this->orderOf($service, $settings, $properties);
        $connection = $this->connection();
        $link = AccountLink::of($service, $properties, $connection->url());
        (new Termination($connection, $link))->terminate($order);
        $link->end();
        return true;
    }

    public function upgradeServer(Service $service, $settings, $properties): bool
    {
        [$panel, $username] = $this->own($service, $settings, $properties);
        $panel->changePackage($username, self::packageOf($service, $settings));
        return true;
    }

    /** For a client who has changed address: the account has the new one then. */
    public function followAddress(Service $service, $settings, $properties): bool
    {
        $this->own($service, $settings, $properties, Client::FOR_A_PAGE);
        return true;
    }

    /** Paymenter calls this at its start. */
    public function boot(): void
    {
        Event::listen('App\Events\User\Updated', [Addresses::class, 'follow']);
    }

    /** Drawn with the service's page: links are made when a button is pressed. */
    public function getActions(Service $service, $settings, $properties): array
    {
        $link = AccountLink::of($service, $properties);
        return $link->isSealed()
            ? (new Page($service))->actions($link->username(), $this->connection())
            : [];
    }

    /** For its button: Paymenter redirects to what is returned. */
    public function login(Service $service, $settings, $properties): string
    {
        return (new Page($service))->attempt(function () use ($service, $settings, $properties) {
            $options = Client::FOR_A_PAGE;
            [$panel, $username] = $this->own($service, $settings, $properties, $options);
            return $panel->signOnLink($username);
        });
    }

    /** For its button: asks first, as the password of now ends. */
    public function resetPassword(Service $service, $settings, $properties): string
    {
        $page = new Page($service);
        return $page->attempt(static fn (): string => $page->ask());
    }

    /** For the answer: as a file, so that it is kept nowhere but with the customer. */
    public function makePassword(Service $service, $settings, $properties)
    {
        $page = new Page($service);
        return $page->attempt(function () use ($page, $service, $settings, $properties) {
            if (!$page->isConfirmed()) {
                return $page->ask();
            }
            $options = Client::FOR_A_PAGE;
            [$panel, $username] = $this->own($service, $settings, $properties, $options);
            $password = self::newPassword();
            $panel->setPassword($username, $password);
            $page->forget();
            $url = $this->connection()->url();
            $text = "$url\nUsername: $username\nPassword: $password\n";
            return response()->streamDownload(static function () use ($text): void {
                echo $text;
            }, "$username.txt", ['Content-Type' => 'text/plain; charset=UTF-8']);
        });
    }

    /**
     * @param array<string, mixed> $options of the client
     * @return array{Provisioning, string} for the account of a service, and its username
     * @throws Failure without one, or where it is not the service's
     */
    private function own(Service $service, $settings, $properties, array $options = []): array
    {
        $connection = $this->connection();
        $panel = $connection->panel($options);
        $order = $this->orderOf($service, $settings, $properties);
        $link = AccountLink::of($service, $properties, $connection->url());
        return [$panel, $panel->own($link->username(), $order, $link)['username']];
    }

    private function connection(): Connection
    {
        return new Connection(
            (string) $this->config('host'),
            (string) $this->config('port'),
            (string) $this->config('token'),
            (string) $this->config('ca_file')
        );
    }

    private function orderOf(Service $service, $settings, $properties): Order
    {
        $user = $service->user ?? $service->order->user ?? null;
        $references = AccountLink::references($service, $properties);
        $order = new Order([
            'service' => (string) $service->id,
            'reference' => $references[0],
            'domain' => (string) ($properties['domain'] ?? ''),
            'email' => (string) ($user->email ?? ''),
            'package' => self::packageOf($service, $settings),
        ]);
        $order->formerReferences = $references;
        return $order;
    }

    /**
     * The value of a configurable option with the name `package`, if there is one. A property of
     * that name is not from Paymenter: customers were able to send any property.
     */
    private static function packageOf(Service $service, $settings): string
    {
        foreach ($service->configs ?? [] as $config) {
            if (($config->configOption->env_variable ?? '') === 'package') {
                $value = $config->configValue;
                return (string) ($value->env_variable ?? $value->name ?? '');
            }
        }
        return (string) ($settings['package'] ?? '');
    }

    private static function newPassword(): string
    {
        return rtrim(strtr(base64_encode(random_bytes(18)), '+/', '-_'), '=');
    }
}
