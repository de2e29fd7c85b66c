<?php

declare(strict_types=1);

namespace Panel\Billing;

use Language;
use Loader;
use View;

/**
 * Connects the module with the panel and Blesta's pages, and reports failures to Blesta.
 */
trait PanelConnection
{
    /**
     * @param object|false|null    $row     the server; none is what Blesta has without one
     * @param array<string, mixed> $options of the client, as Client::FOR_A_PAGE
     * @throws Failure
     */
    private function panelOf($row, array $options = []): Provisioning
    {
        if (!is_object($row)) {
            throw new Failure(Language::_('Panel.!error.module_row.missing', true));
        }
        $host = (string) ($row->meta->host_name ?? '');
        $caFile = dirname(__DIR__) . '/ca.pem';
        $options += [
            'agent' => 'Panel-Blesta/@version@',
            'caFile' => is_file($caFile) ? $caFile : '',
            'log' => function (array $entry) use ($host): void {
                $this->note("$host|$entry[request]", $entry);
            },
        ];
        $token = (string) ($row->meta->api_token ?? '');
        return new Provisioning(new Client(self::addressOf($row), $token, $options));
    }

    /** @throws Failure */
    private static function addressOf(object $row): Address
    {
        $isPlain = ($row->meta->plain ?? '') === 'true';
        $host = (string) ($row->meta->host_name ?? '');
        return new Address($host, (string) ($row->meta->port ?? ''), !$isPlain);
    }

    /** A failure to log is ignored: Blesta would throw in the middle of a request. */
    private function note(string $about, array $entry): void
    {
        try {
            $this->log($about, $entry['sent'], 'input', true);
            $text = "$entry[status] after $entry[seconds] s $entry[failure]";
            $this->log($about, $text, 'output', $entry['failure'] === '');
        } catch (\Throwable $full) {
            return;
        }
    }

    /**
     * Does something at the server of the service at hand.
     *
     * @param callable(Provisioning): mixed $work
     * @param array<string, mixed>          $options of the client
     * @return mixed the result; null where an error is reported to Blesta instead
     */
    private function attempt(callable $work, array $options = [])
    {
        // Blesta asks one object for many services, and each for its own errors.
        $this->Input->setErrors([]);
        try {
            return $work($this->panelOf($this->getModuleRow(), $options));
        } catch (\Throwable $thrown) {
            $this->Input->setErrors(['panel' => ['failed' => self::sentence($thrown)]]);
            return null;
        }
    }

    /** Returns any exception, including Blesta's own, as one line. */
    private static function sentence(\Throwable $thrown): string
    {
        $sentence = Text::line($thrown->getMessage());
        return $sentence !== '' ? $sentence : get_class($thrown);
    }

    /**
     * @param array<string, mixed> $values of the view
     * @return string HTML
     */
    private function page(string $name, array $values): string
    {
        // Its helpers reach a view through the property of this name.
        $this->view = new View($name, 'default');
        $this->view->base_uri = $this->base_uri ?? '';
        $this->view->setDefaultView('components' . DS . 'modules' . DS . 'panel' . DS);
        Loader::loadHelpers($this, ['Form', 'Html', 'Widget']);
        foreach ($values as $key => $value) {
            $this->view->set($key, $value);
        }
        return $this->view->fetch();
    }

    /**
     * Form input may be anything.
     *
     * @param array<string, mixed> $values
     */
    private static function text(
        #[\SensitiveParameter]
        array $values,
        string $name
    ): string {
        $value = $values[$name] ?? '';
        return is_scalar($value) ? (string) $value : '';
    }

    /**
     * @param array<string, mixed> $values
     * @param string[]             $encrypted the keys of those that are encrypted in the database
     * @return array<int, array{key: string, value: mixed, encrypted: int}> as Blesta stores them
     */
    private static function toMeta(array $values, array $encrypted = []): array
    {
        $meta = [];
        foreach ($values as $key => $value) {
            $isSecret = in_array($key, $encrypted, true);
            $meta[] = ['key' => $key, 'value' => $value, 'encrypted' => $isSecret ? 1 : 0];
        }
        return $meta;
    }
}
