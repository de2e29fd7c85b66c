<?php

declare(strict_types=1);

namespace Panel\Billing;

use Language;
use ModuleFields;

/** A Blesta package: one of the panel's packages, with a website or optionally without. */
trait PackageForm
{
    public function getPackageFields($vars = null)
    {
        $fields = new ModuleFields();
        $meta = (array) ($vars->meta ?? []);
        $chosen = self::text($meta, 'package');
        $domain = self::text($meta, 'domain') === 'optional' ? 'optional' : 'required';
        $packages = $this->packagesFor($vars, $fields);
        if ($chosen !== '' && !isset($packages[$chosen])) {
            // Saving the form for another reason may not choose another package.
            $packages = [$chosen => $chosen] + $packages;
        }
        $domains = [
            'required' => Language::_('Panel.package_fields.domain_required', true),
            'optional' => Language::_('Panel.package_fields.domain_optional', true),
        ];
        $this->addSelect($fields, 'package', $packages, $chosen);
        $this->addSelect($fields, 'domain', $domains, $domain);
        return $fields;
    }

    public function addPackage(?array $vars = null)
    {
        $vars = (array) $vars;
        $this->Input->setRules([
            'meta[package]' => [
                'empty' => [
                    'rule' => 'isEmpty',
                    'negate' => true,
                    'message' => Language::_('Panel.!error.meta[package].empty', true),
                ],
            ],
        ]);
        if (!$this->Input->validates($vars)) {
            return [];
        }
        $meta = (array) $vars['meta'];
        return self::toMeta([
            'package' => self::text($meta, 'package'),
            'domain' => self::text($meta, 'domain') === 'optional' ? 'optional' : 'required',
        ]);
    }

    public function editPackage($package, ?array $vars = null)
    {
        return $this->addPackage($vars);
    }

    /**
     * Returns the packages that the token of the server may offer; if it cannot, the form says why.
     *
     * @param object|null $vars
     * @return array<string, string>
     */
    private function packagesFor($vars, ModuleFields $fields): array
    {
        $row = $this->rowFor($vars);
        if ($row === null) {
            return [];
        }
        try {
            return $this->panelOf($row, Client::FOR_A_PAGE)->packages();
        } catch (\Throwable $thrown) {
            $sentence = htmlspecialchars(self::sentence($thrown), ENT_QUOTES, 'UTF-8');
            $fields->setHtml("<p class=\"text-danger\">$sentence</p>");
            return [];
        }
    }

    /**
     * The server that is chosen in the form, or the first of the group that is.
     *
     * @param object|null $vars
     */
    private function rowFor($vars): ?object
    {
        $group = $vars->module_group ?? '';
        $id = (int) ($vars->module_row ?? 0);
        if ((string) $group === '' && $id > 0) {
            $row = $this->getModuleRow($id);
            return is_object($row) ? $row : null;
        }
        $rows = (array) $this->getModuleRows((string) $group === '' ? null : $group);
        $row = reset($rows);
        return is_object($row) ? $row : null;
    }

    /** @param array<string, string> $options */
    private function addSelect(
        ModuleFields $fields,
        string $name,
        array $options,
        string $chosen
    ): void {
        $label = $fields->label(Language::_("Panel.package_fields.$name", true), "panel_$name");
        $attributes = ['id' => "panel_$name"];
        $label->attach($fields->fieldSelect("meta[$name]", $options, $chosen, $attributes));
        $fields->setField($label);
    }
}
