<?php

// Everything that Blesta does with a module, from an order to its end.

namespace PanelTest;

require_once __DIR__ . '/framework.php';
require_once __DIR__ . '/module.php';
require_once __DIR__ . '/models.php';

/** Thrown where a page would end with a redirect. */
final class Left extends \Exception
{
}

return static function (string $root): array {
    require_once "$root/components/modules/panel/panel.php";
    require_once __DIR__ . '/tried.php';
    \View::$root = $root;
    Blesta::open();
    $module = Blesta::$module = new Tried();

    $errors = static function () use ($module): array {
        $messages = [];
        foreach ($module->errors() ?: [] as $ofField) {
            array_push($messages, ...array_values($ofField));
        }
        return ['ok' => $messages === [], 'message' => implode(' ', $messages)];
    };

    /** Blesta's own record changes only when the module has no errors. */
    $change = static function (string $method, array $columns = []) use ($module, $errors) {
        return static function (array $values) use ($method, $columns, $module, $errors): array {
            $id = (int) $values['service'];
            $service = Blesta::service($id);
            $package = Blesta::package((string) $service->package);
            $meta = $module->$method($package, $service);
            $outcome = $errors() + ['meta' => $meta];
            if ($outcome['ok']) {
                // Blesta stores the reason of a suspension after it has called the module.
                Blesta::set($id, $columns + array_filter([
                    'suspension_reason' => $values['reason'] ?? null,
                ]));
            }
            return $outcome;
        };
    };

    /** Submits the form of a page, with all of its fields. */
    $press = static function (string $tab, int $id, array $more = []) use ($module, $errors) {
        $service = Blesta::service($id);
        $package = Blesta::package((string) $service->package);
        $html = $module->$tab($package, $service, [], []);
        preg_match_all('/type="hidden" name="([^"]*)" value="([^"]*)"/', $html, $fields);
        $post = array_combine($fields[1], $fields[2]) + $more;
        if (($post['_csrf_token'] ?? '') !== \Form::CSRF) {
            return ['ok' => false, 'message' => 'The form has no token.'];
        }
        $page = strpos($tab, 'tabClient') === 0
            ? "services/manage/$id"
            : "clients/servicetab/$service->client_id/$id";
        if (strpos($html, "action=\"/admin/$page/$tab/\"") === false) {
            return ['ok' => false, 'message' => 'The form leads elsewhere.'];
        }
        try {
            $html = $module->$tab($package, $service, [], $post);
            return $errors() + ['html' => $html];
        } catch (Left $left) {
            return ['ok' => true, 'message' => '', 'url' => $left->getMessage()];
        }
    };

    $activate = static function (array $values) use ($module, $errors): array {
        $id = (int) $values['service'];
        $service = Blesta::service($id);
        $vars = array_column($service->fields, 'value', 'key') + [
            'service_id' => $id,
            'client_id' => $service->client_id,
            'use_module' => 'true',
        ];
        $package = Blesta::package((string) $service->package);
        $meta = $module->addService($package, $vars, null, null, 'active');
        $outcome = $errors();
        if ($outcome['ok']) {
            Blesta::store($id, $meta);
            Blesta::set($id, ['status' => 'active']);
        }
        $fields = array_column(Blesta::service($id)->fields, 'value', 'key');
        return $outcome + ['username' => $fields['panel_username'] ?? ''];
    };

    /** An order first waits for its payment. */
    $order = static function (array $values) use ($module, $errors): array {
        $id = (int) $values['service'];
        $vars = [
            'client_id' => Blesta::clientOf($values['email']),
            'panel_domain' => $values['domain'] ?? '',
            'panel_password' => $values['password'] ?? '',
            'use_module' => 'false',
        ];
        if (isset($values['username'])) {
            $vars['panel_username'] = $values['username'];
        }
        $module->setModuleRow(Blesta::row(1));
        $meta = $module->addService(Blesta::package($values['package']), $vars);
        $outcome = $errors();
        if ($outcome['ok']) {
            Blesta::set($id, [
                'client_id' => $vars['client_id'],
                'package' => $values['package'],
                'status' => 'pending',
            ]);
            Blesta::store($id, $meta);
        }
        return $outcome;
    };

    return [
        'connect' => static function (array $values): void {
            $isPlain = ($values['isSecure'] ?? true) === false;
            Blesta::$rows[$values['row'] ?? 1] = [
                'server_name' => 'First',
                'host_name' => ($isPlain ? 'http://' : '') . $values['host'],
                'port' => (string) $values['port'],
                'api_token' => $values['token'],
            ];
        },
        'order' => $order,
        'activate' => $activate,
        'create' => static function (array $values) use ($order, $activate): array {
            $service = Blesta::service((int) $values['service']);
            if ($service === null || $service->status === 'canceled') {
                $outcome = $order($values);
                if (!$outcome['ok']) {
                    return $outcome + ['username' => ''];
                }
            }
            return $activate($values);
        },
        'suspend' => $change('suspendService', ['status' => 'suspended']),
        'unsuspend' => $change('unsuspendService', ['status' => 'active']),
        'terminate' => $change('cancelService', ['status' => 'canceled']),
        'changePackage' => static function (array $values) use ($module, $errors): array {
            $service = Blesta::service((int) $values['service']);
            $module->changeServicePackage(
                Blesta::package((string) $service->package),
                Blesta::package($values['package']),
                $service
            );
            $outcome = $errors();
            if ($outcome['ok']) {
                // And as an edit for any other reason, with the new package.
                Blesta::set((int) $values['service'], ['package' => $values['package']]);
                Blesta::edit((int) $values['service'], ['use_module' => 'true']);
                $outcome = $errors();
            }
            return $outcome;
        },
        'setPassword' => static function (array $values) use ($errors): array {
            $vars = ['use_module' => 'true', 'panel_password' => $values['password']];
            Blesta::edit((int) $values['service'], $vars);
            return $errors();
        },
        'signOn' => static function (array $values) use ($press): array {
            return $press('tabLogin', (int) $values['service']);
        },
        'test' => static function () use ($module, $errors): array {
            $vars = Blesta::$rows[1];
            $meta = $module->addModuleRow($vars);
            return $errors() + ['meta' => $meta];
        },
        'packages' => static function (array $values) use ($module): array {
            $vars = $values['vars'] ?? ['module_group' => '', 'module_row' => '1'];
            $fields = $module->getPackageFields((object) $vars);
            $select = $fields->getFields()[0]->fields[0]->params;
            return [
                'ok' => $fields->getHtml() === '',
                'message' => $fields->getHtml(),
                'packages' => array_keys($select['options']),
                'selected' => $select['selected'],
            ];
        },

        'changeEmail' => static function (array $values): void {
            $client = Blesta::service((int) $values['service'])->client_id;
            $statement = Blesta::$pdo->prepare('update clients set email = ? where id = ?');
            $statement->execute([$values['email'], $client]);
        },

        // Operations that only Blesta has.
        'storeRow' => static function (array $values): void {
            Blesta::$rows[1] = $values['meta'];
        },
        'press' => static function (array $values) use ($press): array {
            return $press($values['tab'], (int) $values['service'], $values['fields'] ?? []);
        },
        'show' => static function (array $values) use ($module, $errors): array {
            $service = Blesta::service((int) $values['service']);
            $package = Blesta::package((string) $service->package);
            $html = isset($values['tab'])
                ? $module->{$values['tab']}($package, $service, [], $values['post'] ?? [])
                : $module->{$values['info']}($service, $package);
            return ['html' => $html] + $errors();
        },
        'edit' => static function (array $values) use ($errors): array {
            Blesta::edit((int) $values['service'], $values['vars']);
            return $errors();
        },
        'service' => static function (array $values): object {
            return Blesta::service((int) $values['service']);
        },
        'setService' => static function (array $values): void {
            Blesta::set((int) $values['service'], $values['columns']);
        },
        'setFields' => static function (array $values): void {
            Blesta::store((int) $values['service'], $values['meta']);
        },
        'addService' => static function (array $values) use ($module, $errors): array {
            $module->setModuleRow(Blesta::row($values['row'] ?? 1));
            $vars = $values['vars'];
            if (isset($vars['email'])) {
                $vars['client_id'] = Blesta::clientOf($vars['email']);
            }
            $package = Blesta::package($values['package'] ?? '');
            $package->meta->domain = $values['domain'] ?? 'optional';
            $status = $values['status'] ?? 'pending';
            $meta = $module->addService($package, $vars, null, null, $status);
            return ['meta' => $meta] + $errors();
        },
        'editRow' => static function (array $values) use ($module, $errors): array {
            return ['meta' => $module->editModuleRow(Blesta::row(1), $values['vars'])] + $errors();
        },
        'page' => static function (array $values) use ($module): string {
            [$method, $given] = [$values['method'], json_decode(json_encode($values['given']))];
            $vars = $values['vars'] ?? [];
            return $method === 'manageAddRow'
                ? $module->manageAddRow($vars)
                : $module->$method($given, $vars);
        },
        'call' => static function (array $values) use ($module) {
            $module->setModuleRow(Blesta::row($values['row'] ?? 0));
            $arguments = array_map(static function ($argument) {
                return $argument === 'object' ? new \stdClass() : $argument;
            }, $values['arguments']);
            $result = $module->{$values['method']}(...$arguments);
            return ['type' => gettype($result), 'result' => $result, 'errors' => $module->errors()];
        },
        'methods' => static function (): array {
            $own = array_filter(
                (new \ReflectionClass('Panel'))->getMethods(\ReflectionMethod::IS_PUBLIC),
                static function (\ReflectionMethod $method): bool {
                    return $method->class === 'Panel';
                }
            );
            return array_column($own, 'name');
        },
        'fillLog' => static function (array $values): void {
            Blesta::$isLogFull = $values['isFull'];
        },
        'config' => static function () use ($module, $root): array {
            $folder = "$root/components/modules/panel";
            \Configure::load('panel', "$folder/config/");
            return [
                'config' => json_decode(file_get_contents("$folder/config.json")),
                'orderName' => $module->getPackageServiceName(null, [
                    'panel_domain' => 'a.example',
                ]),
                'texts' => \Language::$texts,
                'templates' => \Configure::get('Panel.email_templates'),
            ];
        },
    ];
};
