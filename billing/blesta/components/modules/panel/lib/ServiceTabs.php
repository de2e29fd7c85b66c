<?php

declare(strict_types=1);

namespace Panel\Billing;

use Language;
use Loader;

/** The tabs of a service, for staff and for customers. */
trait ServiceTabs
{
    public function getAdminTabs($package)
    {
        return [
            'tabLogin' => Language::_('Panel.tab_login', true),
            'tabStats' => Language::_('Panel.tab_stats', true),
        ];
    }

    public function getClientTabs($package)
    {
        return [
            'tabClientLogin' => Language::_('Panel.tab_login', true),
            'tabClientStats' => Language::_('Panel.tab_stats', true),
            'tabClientActions' => Language::_('Panel.tab_actions', true),
        ];
    }

    public function getAdminServiceInfo($service, $package)
    {
        return $this->servicePage('service_info', $service);
    }

    public function getClientServiceInfo($service, $package)
    {
        return $this->servicePage('service_info', $service);
    }

    // Blesta gives each tab what was sent by GET and POST, and files.

    public function tabLogin($package, $service, ?array $get = null, ?array $post = null)
    {
        $this->signOnIfAsked($package, $service, $post);
        $client = $service->client_id ?? '';
        return $this->actingPage('tab_login', $service, "clients/servicetab/$client", 'tabLogin');
    }

    public function tabClientLogin($package, $service, ?array $get = null, ?array $post = null)
    {
        $this->signOnIfAsked($package, $service, $post);
        $this->hideReason();
        return $this->actingPage('tab_login', $service, 'services/manage', 'tabClientLogin');
    }

    public function tabStats($package, $service)
    {
        $usage = $this->usageOf($package, $service);
        return $this->servicePage('tab_stats', $service, ['usage' => $usage]);
    }

    public function tabClientStats($package, $service)
    {
        $usage = $this->usageOf($package, $service);
        $this->hideReason();
        return $this->servicePage('tab_stats', $service, ['usage' => $usage]);
    }

    /** The customer's own change of password. */
    public function tabClientActions($package, $service, ?array $get = null, ?array $post = null)
    {
        $values = ['is_changed' => !empty($post) && $this->changePassword($service, $post)];
        [$pages, $tab] = ['services/manage', 'tabClientActions'];
        return $this->actingPage('tab_client_actions', $service, $pages, $tab, $values);
    }

    /** Only when its button was pressed: a link is valid for a minute, and a page for longer. */
    private function signOnIfAsked($package, $service, ?array $post): void
    {
        if (($post['panel_sign_on'] ?? '') !== 'true') {
            return;
        }
        if (!self::isActive($service)) {
            // Its username may belong to another service's account by now.
            $message = Language::_('Panel.login.inactive', true);
            $this->Input->setErrors(['service' => ['inactive' => $message]]);
            return;
        }
        $link = $this->attempt(function (Provisioning $panel) use ($package, $service): string {
            return $panel->signOnLink($this->own($panel, $package, $service));
        }, Client::FOR_A_PAGE);
        if ($link !== null) {
            $this->leaveFor($link);
        }
    }

    /** @return array<string, mixed>|null null where it is not known now */
    private function usageOf($package, $service): ?array
    {
        if (!self::hasAccount($service)) {
            $this->Input->setErrors([]);
            return null;
        }
        return $this->attempt(function (Provisioning $panel) use ($package, $service): array {
            return $panel->usageOf($this->own($panel, $package, $service));
        }, Client::FOR_A_PAGE);
    }

    private function changePassword(
        $service,
        #[\SensitiveParameter]
        array $post
    ): bool {
        $password = self::text($post, 'panel_password');
        if ($password === '') {
            $message = Language::_('Panel.!error.panel_password.valid', true);
            $this->Input->setErrors(['panel_password' => ['valid' => $message]]);
            return false;
        }
        Loader::loadModels($this, ['Services']);
        // By way of Blesta, which stores what editService() says was done.
        $this->Services->edit($service->id ?? 0, [
            'use_module' => 'true',
            'panel_password' => $password,
            'panel_confirm_password' => self::text($post, 'panel_confirm_password'),
        ]);
        $errors = $this->Services->errors();
        $this->Input->setErrors($errors ?: []);
        $this->hideReason();
        return !$errors;
    }

    /** A customer can do nothing about the server; the log has the reason. */
    private function hideReason(): void
    {
        $errors = $this->Input->errors() ?: [];
        if (isset($errors['panel'])) {
            $errors['panel'] = ['failed' => Language::_('Panel.!error.unavailable', true)];
            $this->Input->setErrors($errors);
        }
    }

    /** A page with a form, which Blesta has the tab answer. */
    private function actingPage(
        string $name,
        $service,
        string $pages,
        string $tab,
        array $values = []
    ): string {
        $action = $this->base_uri . "$pages/" . ($service->id ?? '') . "/$tab/";
        return $this->servicePage($name, $service, ['action' => $action] + $values);
    }

    /** @param array<string, mixed> $values besides what every page of a service has */
    private function servicePage(string $name, $service, array $values = []): string
    {
        $fields = $this->fieldsOf($service);
        // No page shows it.
        unset($fields['panel_password']);
        $row = $this->getModuleRow();
        return $this->page($name, $values + [
            'fields' => (object) $fields,
            'host_name' => (string) ($row->meta->host_name ?? ''),
            'is_active' => self::isActive($service),
        ]);
    }

    private static function isActive($service): bool
    {
        return ($service->status ?? 'active') === 'active';
    }
}
