<?php

/**
 * The panel's provisioning module for WHMCS, version @version@.
 *
 * WHMCS shows a button or a setting for each function that there is: those missing here are what a
 * provisioning token does not reach.
 */

declare(strict_types=1);

use Panel\Billing\Accounts;
use Panel\Billing\AdminTab;
use Panel\Billing\Client;
use Panel\Billing\Failure;
use Panel\Billing\Hosting;
use Panel\Billing\Metrics;
use Panel\Billing\Module;
use Panel\Billing\Ownership;
use Panel\Billing\Parameters;
use Panel\Billing\Provisioning;
use WHMCS\Module\Server\CustomAction;
use WHMCS\Module\Server\CustomActionCollection;
use WHMCS\UsageBilling\Contracts\Metrics\ProviderInterface;

if (!defined('WHMCS')) {
    die('This file cannot be accessed directly');
}

require_once __DIR__ . '/lib/autoload.php';

function panel_MetaData(): array
{
    return [
        'DisplayName' => 'Panel',
        'APIVersion' => '1.1',
        'RequiresServer' => true,
        'DefaultSSLPort' => '8443',
        'DefaultNonSSLPort' => '8443',
        'ServiceSingleSignOnLabel' => 'Log in to the panel',
        'ListAccountsUniqueIdentifierDisplayName' => 'Username',
        'ListAccountsUniqueIdentifierField' => 'username',
        'ListAccountsProductField' => 'configoption1',
    ];
}

/** Products are stored by the order of these: a new one comes last. */
function panel_ConfigOptions(array $params = []): array
{
    return [
        'package' => [
            'FriendlyName' => 'Package',
            'Type' => 'text',
            'Size' => '30',
            'Loader' => 'panel_LoadPackages',
            'SimpleMode' => true,
            'Description' => 'The name of a package that the token of the server may sell',
        ],
    ];
}

/** WHMCS shows what is thrown here. */
function panel_LoadPackages(array $params): array
{
    $given = new Parameters($params);
    if ($given->text('serverhostname') . $given->text('serverip') === '') {
        return [];
    }
    try {
        return Module::panel($given, 'LoadPackages', Client::FOR_A_PAGE)->packages();
    } catch (\Throwable $thrown) {
        throw new \Exception(Module::sentence($thrown, $given));
    }
}

function panel_TestConnection(array $params): array
{
    $given = new Parameters($params);
    try {
        Module::panel($given, 'TestConnection', Client::FOR_A_PAGE)->test();
        return ['success' => true, 'error' => ''];
    } catch (\Throwable $thrown) {
        return ['success' => false, 'error' => Module::sentence($thrown, $given)];
    }
}

function panel_CreateAccount(array $params): string
{
    $create = static function (Provisioning $panel, Parameters $given): void {
        if ($given->text('producttype') === 'reselleraccount') {
            throw new Failure('The panel makes hosting accounts only: change the product type.');
        }
        $isFree = static function (string $username) use ($given): bool {
            return Hosting::isFree($username, $given);
        };
        $ownership = new Ownership($given);
        $account = $panel->create($given->order(), $isFree, $ownership);
        // Where this fails, a repeat finds the account by its reference.
        $ownership->save($account);
    };
    return Module::attempt($params, 'CreateAccount', $create);
}

function panel_SuspendAccount(array $params): string
{
    $suspend = static function (Provisioning $panel, Parameters $given): void {
        $account = Module::own($panel, $given);
        $panel->suspend($account['username'], $given->text('suspendreason'));
    };
    return Module::attempt($params, 'SuspendAccount', $suspend);
}

function panel_UnsuspendAccount(array $params): string
{
    $unsuspend = static function (Provisioning $panel, Parameters $given): void {
        $panel->unsuspend(Module::own($panel, $given)['username']);
    };
    return Module::attempt($params, 'UnsuspendAccount', $unsuspend);
}

function panel_TerminateAccount(array $params): string
{
    $terminate = static function (Provisioning $panel, Parameters $given): void {
        if ($given->isEnded()) {
            return;
        }
        $panel->terminate($given->username(), $given->order(), new Ownership($given));
        Accounts::forget($given);
    };
    return Module::attempt($params, 'TerminateAccount', $terminate);
}

function panel_ChangePackage(array $params): string
{
    $change = static function (Provisioning $panel, Parameters $given): void {
        $panel->changePackage(Module::own($panel, $given)['username'], $given->package());
    };
    return Module::attempt($params, 'ChangePackage', $change);
}

function panel_ChangePassword(array $params): string
{
    $change = static function (Provisioning $panel, Parameters $given): void {
        $panel->setPassword(Module::own($panel, $given)['username'], $given->password());
    };
    return Module::attempt($params, 'ChangePassword', $change, Client::FOR_A_PAGE);
}

/** The client's e-mail address, also for the account: a button, and for the hook. */
function panel_UpdateAddress(array $params): string
{
    $update = static function (Provisioning $panel, Parameters $given): void {
        $account = Module::own($panel, $given);
        if (!$given->order()->hasAddressOf($account)) {
            $panel->setEmail($account['username'], $given->order()->email);
        }
    };
    return Module::attempt($params, 'UpdateAddress', $update, Client::FOR_A_PAGE);
}

function panel_AdminCustomButtonArray(): array
{
    return ['Update E-mail Address' => 'UpdateAddress'];
}

/** For the customer's button and for the administrator's. */
function panel_ServiceSingleSignOn(array $params): array
{
    $given = new Parameters($params);
    try {
        $panel = Module::panel($given, 'ServiceSingleSignOn', Client::FOR_A_PAGE);
        $account = Module::own($panel, $given);
        return ['success' => true, 'redirectTo' => $panel->signOnLink($account['username'])];
    } catch (\Throwable $thrown) {
        return ['success' => false, 'errorMsg' => Module::sentence($thrown, $given)];
    }
}

/** The cron job calls this for each server, and continues with the next after any failure here. */
function panel_UsageUpdate(array $params): void
{
    $given = new Parameters($params);
    try {
        $usage = Module::panel($given, 'UsageUpdate')->usage();
        Hosting::saveUsage($given->id('serverid'), $usage);
    } catch (\Throwable $thrown) {
        Module::logFailure('UsageUpdate', $thrown, $given);
    }
}

/** Returns the metrics by which products can be priced; null from a WHMCS without usage billing. */
function panel_MetricProvider(array $params)
{
    $isThere = interface_exists(ProviderInterface::class);
    return $isThere ? new Metrics(new Parameters($params)) : null;
}

/** For the server sync: what there is on the panel, whatever WHMCS believes. */
function panel_ListAccounts(array $params): array
{
    $given = new Parameters($params);
    $statuses = ['active' => 'Active', 'suspended' => 'Suspended'];
    try {
        $listed = [];
        foreach (Module::panel($given, 'ListAccounts')->accounts() as $account) {
            // Accounts being created or terminated are left to the next sync.
            if (isset($statuses[$account['state']])) {
                $listed[] = [
                    'email' => $account['email'],
                    'username' => $account['username'],
                    'domain' => (string) $account['domain'],
                    'uniqueIdentifier' => $account['username'],
                    'product' => $account['package'],
                    'primaryip' => $given->text('serverip'),
                    'created' => date('Y-m-d H:i:s', (int) strtotime($account['created_at'])),
                    'status' => $statuses[$account['state']],
                ];
            }
        }
        return ['success' => true, 'accounts' => $listed];
    } catch (\Throwable $thrown) {
        return ['success' => false, 'error' => Module::sentence($thrown, $given)];
    }
}

/** Asks the panel for nothing: the link is made when the button is pressed. */
function panel_ClientArea(array $params): array
{
    $given = new Parameters($params);
    return [
        'tabOverviewModuleOutputTemplate' => 'templates/overview.tpl',
        'templateVariables' => [
            'service' => $given->id('serviceid'),
            // If it is unknown, the panel says so when the button is pressed.
            'isActive' => in_array($given->status(), ['', 'Active'], true),
        ],
    ];
}

/** The button next to the service on the client area's first page, since WHMCS 8.5. */
function panel_CustomActions(array $params)
{
    if (!class_exists(CustomActionCollection::class)) {
        return null;
    }
    $actions = new CustomActionCollection();
    $function = 'panel_ServiceSingleSignOn';
    $label = 'Log in to the panel';
    // The client's own users may do it who may sign on to products.
    $may = ['productsso'];
    $actions->add(CustomAction::factory('panel', $label, $function, [$params], $may, true));
    return $actions;
}

function panel_AdminServicesTabFields(array $params): array
{
    return AdminTab::rows(new Parameters($params));
}

function panel_AdminLink(array $params): string
{
    try {
        $url = (new Parameters($params))->address()->url();
    } catch (Failure $failure) {
        return '';
    }
    $href = htmlspecialchars($url, ENT_QUOTES, 'UTF-8');
    return "<a href=\"$href\" target=\"_blank\" rel=\"noopener\">Open the panel</a>";
}
