<?php

declare(strict_types=1);

namespace Panel\Billing;

use Language;
use ModuleFields;

/** The fields of an order, and the parts of it that are valid. */
trait ServiceForm
{
    public function getAdminAddFields($package, $vars = null)
    {
        $fields = new ModuleFields();
        $this->addText($fields, 'domain', $vars->panel_domain ?? $vars->domain ?? '');
        $this->addText($fields, 'username', $vars->panel_username ?? '', 'made');
        $this->addPassword($fields, 'made');
        return $fields;
    }

    public function getClientAddFields($package, $vars = null)
    {
        $fields = new ModuleFields();
        $this->addText($fields, 'domain', $vars->panel_domain ?? $vars->domain ?? '');
        return $fields;
    }

    public function getAdminEditFields($package, $vars = null)
    {
        $fields = new ModuleFields();
        $this->addText($fields, 'domain', $vars->panel_domain ?? '', 'noted');
        $this->addText($fields, 'username', $vars->panel_username ?? '', 'noted');
        $this->addPassword($fields, 'kept');
        return $fields;
    }

    public function validateService($package, ?array $vars = null)
    {
        $vars = (array) $vars;
        $vars['panel_domain'] = self::domainOf($vars);
        $isRequired = ($package->meta->domain ?? 'required') !== 'optional';
        $this->Input->setRules([
            'panel_domain' => [
                'valid' => [
                    'rule' => [[$this, 'validateDomain'], $isRequired],
                    'message' => Language::_('Panel.!error.panel_domain.valid', true),
                ],
            ],
        ] + $this->loginRules());
        return $this->Input->validates($vars);
    }

    public function validateServiceEdit($service, ?array $vars = null)
    {
        $vars = (array) $vars;
        $this->Input->setRules([
            'panel_domain' => [
                'valid' => [
                    'if_set' => true,
                    'rule' => [[$this, 'validateDomain'], false],
                    'message' => Language::_('Panel.!error.panel_domain.valid', true),
                ],
            ],
        ] + $this->loginRules());
        return $this->Input->validates($vars);
    }

    /** Refuses only obvious errors: the panel validates the rest. */
    public function validateDomain($entered, $isRequired)
    {
        $domain = Names::domain((string) $entered);
        if ($domain === '') {
            return !$isRequired;
        }
        $label = '(?!-)[a-z0-9_\x80-\xff-]{1,63}(?<!-)';
        return strlen($domain) <= 253 && preg_match("/^$label(\.$label)+$/D", $domain) === 1;
    }

    public function validateUsername($entered)
    {
        $name = Names::folded((string) $entered);
        return $name === '' || Names::isUsername($name);
    }

    /** As the panel takes it, so that the customer hears of it before the panel does. */
    public function validatePassword($entered)
    {
        $isTaken = preg_match('/^[^\x00-\x1f\x7f]{8,128}$/Du', (string) $entered) === 1;
        return (string) $entered === '' || $isTaken;
    }

    /** @return array<string, array<string, array<string, mixed>>> */
    private function loginRules(): array
    {
        $rule = static function (array $rule, string $field): array {
            $message = Language::_("Panel.!error.$field.valid", true);
            return ['valid' => ['if_set' => true, 'rule' => $rule, 'message' => $message]];
        };
        $same = ['compares', '===', ['_linked' => 'panel_password']];
        return [
            'panel_username' => $rule([[$this, 'validateUsername']], 'panel_username'),
            'panel_password' => $rule([[$this, 'validatePassword']], 'panel_password'),
            'panel_confirm_password' => $rule($same, 'panel_confirm_password'),
        ];
    }

    /** @param array<string, mixed> $vars */
    private static function domainOf(array $vars): string
    {
        $name = isset($vars['panel_domain']) ? 'panel_domain' : 'domain';
        return Names::domain(self::text($vars, $name));
    }

    private function addText(
        ModuleFields $fields,
        string $name,
        string $value,
        string $hint = ''
    ): void {
        $label = $fields->label(Language::_("Panel.service_fields.$name", true), "panel_$name");
        $label->attach($fields->fieldText("panel_$name", $value, ['id' => "panel_$name"]));
        if ($hint !== '') {
            $label->attach($fields->tooltip(Language::_("Panel.service_fields.$hint", true)));
        }
        $fields->setField($label);
    }

    /** Never filled in: a page has no password in it. */
    private function addPassword(ModuleFields $fields, string $hint): void
    {
        $text = Language::_('Panel.service_fields.password', true);
        $label = $fields->label($text, 'panel_password');
        $attributes = ['id' => 'panel_password', 'autocomplete' => 'new-password'];
        $label->attach($fields->fieldPassword('panel_password', $attributes));
        $label->attach($fields->tooltip(Language::_("Panel.service_fields.$hint", true)));
        $fields->setField($label);
    }
}
