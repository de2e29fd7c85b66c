<?php

declare(strict_types=1);

namespace Panel\Billing;

use WHMCS\UsageBilling\Contracts\Metrics\MetricInterface;
use WHMCS\UsageBilling\Contracts\Metrics\ProviderInterface;
use WHMCS\UsageBilling\Metrics\Metric;
use WHMCS\UsageBilling\Metrics\Units\MegaBytes;
use WHMCS\UsageBilling\Metrics\Usage;

/**
 * Disk and bandwidth for WHMCS to bill by. Its tenants are usernames.
 */
final class Metrics implements ProviderInterface
{
    /** @var Parameters */
    private $given;

    public function __construct(Parameters $given)
    {
        $this->given = $given;
    }

    /** @return MetricInterface[] */
    public function metrics()
    {
        $month = MetricInterface::TYPE_PERIOD_MONTH;
        return [
            new Metric('disk_used_mb', 'Disk', MetricInterface::TYPE_SNAPSHOT, new MegaBytes()),
            new Metric('bandwidth_used_mb', 'Bandwidth', $month, new MegaBytes()),
        ];
    }

    /** @return array<string, MetricInterface[]> of all accounts in one call */
    public function usage()
    {
        return $this->ask(function (Provisioning $panel): array {
            return array_map([$this, 'measured'], $panel->usage());
        });
    }

    /** @return MetricInterface[] */
    public function tenantUsage($tenant)
    {
        return $this->ask(function (Provisioning $panel) use ($tenant): array {
            return $this->measured($panel->usageOf(Names::folded((string) $tenant)));
        });
    }

    /**
     * @param array<string, mixed> $usage
     * @return MetricInterface[]
     */
    private function measured(array $usage): array
    {
        $measured = [];
        foreach ($this->metrics() as $metric) {
            $used = (int) ($usage[$metric->systemName()] ?? 0);
            $measured[] = $metric->withUsage(new Usage($used));
        }
        return $measured;
    }

    /** The cron job continues after any failure here, which is logged. */
    private function ask(callable $work): array
    {
        try {
            return $work(Module::panel($this->given, 'MetricProvider', Client::FOR_A_PAGE));
        } catch (\Throwable $thrown) {
            Module::logFailure('MetricProvider', $thrown, $this->given);
            return [];
        }
    }
}
