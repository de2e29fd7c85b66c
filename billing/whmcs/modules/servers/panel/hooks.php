<?php

/**
 * The panel's hooks for WHMCS: accounts get the e-mail address that their client has got.
 */

declare(strict_types=1);

use Panel\Billing\AdminTab;
use Panel\Billing\Client;
use Panel\Billing\Hosting;
use Panel\Billing\TimeBudget;

if (!defined('WHMCS')) {
    die('This file cannot be accessed directly');
}

require_once __DIR__ . '/lib/autoload.php';

AdminTab::$hasHooks = true;

add_hook('ClientEdit', 1, static function (array $vars): void {
    if (($vars['email'] ?? '') === ($vars['olddata']['email'] ?? '')) {
        return;
    }
    $follow = static function () use ($vars): void {
        foreach (Hosting::ofClient((int) ($vars['userid'] ?? 0)) as $service) {
            // A failure is in the module log, and repeated with the service's next command.
            $command = ['serviceid' => $service, 'func_name' => 'UpdateAddress'];
            localAPI('ModuleCustom', $command);
        }
    };
    try {
        // The client waits for the profile to be saved, however many services there are.
        TimeBudget::within(Client::FOR_A_PAGE['seconds'], $follow);
    } catch (\Throwable $thrown) {
        logModuleCall('panel', 'ClientEdit', '', $thrown->getMessage(), '', []);
    }
});
