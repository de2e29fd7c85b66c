<?php

declare(strict_types=1);

namespace Panel\Billing;

use Language;
use Loader;

/**
 * The servers, which Blesta calls module rows, and their groups.
 */
trait ServerRows
{
    public function manageModule($module, array &$vars)
    {
        return $this->page('manage', ['module' => $module]);
    }

    public function manageAddRow(array &$vars)
    {
        return $this->page('add_row', ['vars' => (object) $vars]);
    }

    public function manageEditRow($module_row, array &$vars)
    {
        $shown = empty($vars) ? self::metaOf($module_row) : $vars;
        if (empty($vars) && ($shown['plain'] ?? '') === 'true') {
            $shown['host_name'] = "http://$shown[host_name]";
        }
        return $this->page('edit_row', ['vars' => (object) $shown]);
    }

    public function addModuleRow(array &$vars)
    {
        return $this->checkedServer($vars, '');
    }

    /** A token that is left empty stays the one that there was. */
    public function editModuleRow($module_row, array &$vars)
    {
        return $this->checkedServer($vars, self::text(self::metaOf($module_row), 'api_token'));
    }

    /** The accounts stay on the panel. */
    public function deleteModuleRow($module_row)
    {
    }

    public function getGroupOrderOptions()
    {
        return ['first' => Language::_('Panel.order_options.first', true)];
    }

    public function selectModuleRow($module_group_id)
    {
        Loader::loadModels($this, ['ModuleManager']);
        $group = $this->ModuleManager->getGroup($module_group_id);
        foreach ($group->rows ?? [] as $row) {
            return $row->id;
        }
        return 0;
    }

    /**
     * Stores only a server that answers, and knows the token.
     *
     * @param array<string, mixed> $vars
     * @return array<int, array{key: string, value: mixed, encrypted: int}>
     */
    private function checkedServer(array &$vars, string $formerToken): array
    {
        $this->Input->setRules([
            'server_name' => [
                'empty' => [
                    'rule' => 'isEmpty',
                    'negate' => true,
                    'message' => Language::_('Panel.!error.server_name.empty', true),
                ],
            ],
        ]);
        if (!$this->Input->validates($vars)) {
            return [];
        }
        $token = trim(self::text($vars, 'api_token'));
        $meta = [
            'server_name' => trim(self::text($vars, 'server_name')),
            'host_name' => strtolower(trim(self::text($vars, 'host_name'))),
            'port' => trim(self::text($vars, 'port')),
            'plain' => 'false',
            'api_token' => $token !== '' ? $token : $formerToken,
        ];
        try {
            $address = new Address($meta['host_name'], $meta['port']);
            // Stored as it is used: e-mails to customers name it, with https:// in front.
            $meta['host_name'] = $address->name();
            $meta['port'] = (string) $address->port;
            $meta['plain'] = $address->isSecure ? 'false' : 'true';
            $row = (object) ['meta' => (object) $meta];
            $this->panelOf($row, Client::FOR_A_PAGE)->test();
        } catch (\Throwable $thrown) {
            $this->Input->setErrors(['panel' => ['valid_connection' => self::sentence($thrown)]]);
            return [];
        }
        return self::toMeta($meta, ['api_token']);
    }

    /** @return array<string, mixed> */
    private static function metaOf($row): array
    {
        return (array) ($row->meta ?? []);
    }
}
