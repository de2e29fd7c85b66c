<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Connects each function of the module with the panel, and reports failures to WHMCS.
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
        if (defined('CLIENTAREA')) {
            // A client waits for this page, also where it is a checkout.
            $options += Client::FOR_A_PAGE;
        }
        $options += [
            'agent' => 'Panel-WHMCS/@version@',
            'caFile' => is_file($caFile) ? $caFile : '',
            'log' => static function (array $entry) use ($action, $secrets, &$client): void {
                logModuleCall(
                    'panel',
                    $action,
                    "$entry[request] $entry[sent]",
                    "$entry[status] after $entry[seconds] s $entry[failure]",
                    '',
                    array_merge($secrets->all(), $client->secrets()->all())
                );
            },
        ];
        $client = new Client($given->address(), $given->token(), $options);
        return new Provisioning($client);
    }

    /**
     * The account of the service, for whatever is to be done with it next.
     *
     * @return array<string, mixed>
     * @throws Failure where it has none, or what has its username is not its account
     */
    public static function own(Provisioning $panel, Parameters $given): array
    {
        return $panel->own($given->ownUsername(), $given->order(), new Ownership($given));
    }

    /**
     * @param array<string, mixed>                      $params
     * @param callable(Provisioning, Parameters): mixed $work
     * @param array<string, mixed>                      $options of the client
     * @return string «success», or what to show to the administrator
     */
    public static function attempt(
        #[\SensitiveParameter]
        array $params,
        string $action,
        callable $work,
        array $options = []
    ): string {
        $given = new Parameters($params);
        try {
            $work(self::panel($given, $action, $options), $given);
            return 'success';
        } catch (\Throwable $thrown) {
            return self::sentence($thrown, $given);
        }
    }

    /** For what WHMCS's cron job calls, which hears of nothing else. */
    public static function logFailure(
        string $action,
        \Throwable $thrown,
        Parameters $given
    ): void {
        logModuleCall('panel', $action, '', self::sentence($thrown, $given), '', []);
    }

    /** Returns an exception, also one of WHMCS itself, as one line without secrets. */
    public static function sentence(\Throwable $thrown, Parameters $given): string
    {
        $sentence = Text::line($given->secrets()->conceal($thrown->getMessage()));
        return $sentence !== '' ? $sentence : get_class($thrown);
    }
}
