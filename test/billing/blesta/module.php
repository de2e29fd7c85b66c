<?php

// The class that Blesta's modules extend, with the fields that describe their forms. The methods
// have the signatures that Blesta calls: PHP refuses a module with incompatible ones.

final class ModuleField
{
    public $type;
    public $params;
    public $fields = [];

    public function __construct(string $type, array $params)
    {
        [$this->type, $this->params] = [$type, $params];
    }

    public function attach(ModuleField $field): void
    {
        $this->fields[] = $field;
    }
}

final class ModuleFields
{
    private $fields = [];
    private $html = '';

    public function setField(ModuleField $field): void
    {
        $this->fields[] = $field;
    }

    public function getFields(): array
    {
        return $this->fields;
    }

    /** Put into the page unescaped. */
    public function setHtml($html): void
    {
        $this->html = $html;
    }

    public function getHtml(): string
    {
        return $this->html;
    }

    public function label($name, $for = null): ModuleField
    {
        return new ModuleField('label', ['name' => $name, 'for' => $for]);
    }

    public function tooltip($message): ModuleField
    {
        return new ModuleField('tooltip', ['message' => $message]);
    }

    public function fieldText($name, $value = null, $attributes = []): ModuleField
    {
        return new ModuleField('text', compact('name', 'value', 'attributes'));
    }

    public function fieldPassword($name, $attributes = []): ModuleField
    {
        return new ModuleField('password', compact('name', 'attributes'));
    }

    public function fieldSelect(
        $name,
        $options = [],
        $selected = null,
        $attributes = []
    ): ModuleField {
        return new ModuleField('select', compact('name', 'options', 'selected', 'attributes'));
    }
}

abstract class Module
{
    /** @var object|null what config.json says */
    protected $config;

    /** @var string */
    public $base_uri = '/admin/';

    /** @var object|false */
    private $module_row = false;

    protected function loadConfig(string $file): void
    {
        $this->config = json_decode(file_get_contents($file), false, 16, JSON_THROW_ON_ERROR);
    }

    public function errors()
    {
        return $this->Input->errors();
    }

    final public function setModuleRow($module_row): void
    {
        $this->module_row = $module_row;
    }

    /** Without an id, the row of the current service. */
    final public function getModuleRow($id = null)
    {
        return $id ? PanelTest\Blesta::row($id) : $this->module_row;
    }

    final public function getModuleRows($group = null)
    {
        return PanelTest\Blesta::rowsOf($group);
    }

    /** The name of an order that is no service yet. */
    public function getPackageServiceName($package, ?array $vars = null)
    {
        return $vars[$this->config->package->name_key] ?? null;
    }

    protected function serviceFieldsToObject(array $fields): stdClass
    {
        return (object) array_column(array_map(static function ($field): array {
            return (array) $field;
        }, $fields), 'value', 'key');
    }

    protected function log($url, $data = null, $direction = 'input', $success = false): void
    {
        if (!in_array($direction, ['input', 'output'], true)) {
            trigger_error("There is no direction $direction", E_USER_WARNING);
        }
        if (PanelTest\Blesta::$isLogFull) {
            throw new Exception('The log took nothing');
        }
        PanelTest\Recorder::log([$url, $data, $direction, $success]);
    }

    public function install()
    {
    }

    public function upgrade($current_version)
    {
    }

    public function uninstall($module_id, $last_instance)
    {
    }

    public function manageModule($module, array &$vars)
    {
    }

    public function manageAddRow(array &$vars)
    {
    }

    public function manageEditRow($module_row, array &$vars)
    {
    }

    public function addModuleRow(array &$vars)
    {
    }

    public function editModuleRow($module_row, array &$vars)
    {
    }

    public function deleteModuleRow($module_row)
    {
    }

    public function getGroupOrderOptions()
    {
    }

    public function selectModuleRow($module_group_id)
    {
    }

    public function getPackageFields($vars = null)
    {
    }

    public function addPackage(?array $vars = null)
    {
    }

    public function editPackage($package, ?array $vars = null)
    {
    }

    public function getServiceName($service)
    {
    }

    public function getAdminAddFields($package, $vars = null)
    {
    }

    public function getClientAddFields($package, $vars = null)
    {
    }

    public function getAdminEditFields($package, $vars = null)
    {
    }

    public function validateService($package, ?array $vars = null)
    {
    }

    public function validateServiceEdit($service, ?array $vars = null)
    {
    }

    public function addService(
        $package,
        ?array $vars = null,
        $parent_package = null,
        $parent_service = null,
        $status = 'pending'
    ) {
    }

    public function editService(
        $package,
        $service,
        array $vars = [],
        $parent_package = null,
        $parent_service = null
    ) {
    }

    public function suspendService($package, $service, $p = null, $s = null)
    {
    }

    public function unsuspendService($package, $service, $p = null, $s = null)
    {
    }

    public function cancelService($package, $service, $p = null, $s = null)
    {
    }

    public function renewService($package, $service, $p = null, $s = null)
    {
    }

    public function changeServicePackage($from, $to, $service, $p = null, $s = null)
    {
    }

    public function getAdminServiceInfo($service, $package)
    {
    }

    public function getClientServiceInfo($service, $package)
    {
    }

    public function getAdminTabs($package)
    {
    }

    public function getClientTabs($package)
    {
    }
}
