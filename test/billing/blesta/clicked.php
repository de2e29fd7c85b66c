<?php

// A web server's own PHP with a page of Blesta's: what the browser receives after a click.

namespace PanelTest;

// Logs are not tested here.
final class Recorder
{
    public static function log($entry): void
    {
    }
}

require_once __DIR__ . '/framework.php';
require_once __DIR__ . '/module.php';
require_once __DIR__ . '/models.php';
require_once getenv('ROOT') . '/components/modules/panel/panel.php';

\View::$root = getenv('ROOT');
Blesta::$rows[1] = [
    'host_name' => 'http://127.0.0.1',
    'port' => getenv('PORT'),
    'api_token' => getenv('TOKEN'),
];
Blesta::open();
$module = new \Panel();
$module->setModuleRow(Blesta::row(1));
$client = Blesta::clientOf(getenv('EMAIL'));
$field = (object) ['key' => 'panel_username', 'value' => getenv('USERNAME')];
$service = (object) [
    'id' => (int) getenv('SERVICE'),
    'client_id' => $client,
    'status' => 'active',
    'fields' => [$field],
];
echo $module->tabClientLogin(new \stdClass(), $service, $_GET, $_POST);
