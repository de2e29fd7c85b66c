<?php

namespace Panel\Billing;

/**
 * How each function of the module reaches the panel, and how WHMCS hears of what went wrong.
 */
final class Module
{
    /**
     * @param array<string, mixed> $options of the client, as Client::FOR_A_PAGE
     * @throws Failure
     */
    public static function panel(
        Parameters $given,
        string $action,
        array $options = []
    ): Provisioning {
        $caFile = dirname(__DIR__) . '/ca.pem';
        $secrets = $given->secrets();
        $client = null;
        $options += [
            'agent' => 'Panel-WHMCS/@version@',
            'caFile' => is_file($caFile) ? $caFile : '',
            'log' => static function (array $entry) use ($action, $secrets, &$client): void {
                logModuleCall(
                    'panel',
                    $action,
                    "$entry[request] $entry[sent]",
                    "$entry[status] after $entry[seconds] s $entry[said]",
                    '',
                    array_merge($secrets->all(), $client->secrets()->all())
                );
            },
        ];
        $client = new Client($given->address(), $given->token(), $options);
        return new Provisioning($client);
    }

    /**
     * @param array<string, mixed>                      $params
     * @param callable(Provisioning, Parameters): mixed $work
     * @return string «success», or what to show to the administrator
     */
    public static function attempt(
        #[\SensitiveParameter]
        array $params,
        string $action,
        callable $work
    ): string {
        $given = new Parameters($params);
        try {
            $work(self::panel($given, $action), $given);
            return 'success';
        } catch (\Throwable $thrown) {
            return self::sentence($thrown, $given);
        }
    }

    /** Whatever was thrown, also by WHMCS itself, as one line without secrets. */
    public static function sentence(\Throwable $thrown, Parameters $given): string
    {
        $sentence = Text::line($given->secrets()->conceal($thrown->getMessage()));
        return $sentence !== '' ? $sentence : get_class($thrown);
    }
}
