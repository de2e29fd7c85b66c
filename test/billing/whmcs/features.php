<?php

// Features of newer releases of WHMCS alone: classes for actions and for usage billing.

namespace WHMCS\Module\Server {
    final class CustomActionCollection
    {
        /** @var array[] */
        public $all = [];

        public function add(array $action): void
        {
            $this->all[] = $action;
        }
    }

    final class CustomAction
    {
        public static function factory(string $id, string $label, string $function, ...$more): array
        {
            return [$id, $label, $function, ...$more];
        }
    }
}

namespace WHMCS\UsageBilling\Contracts\Metrics {
    interface MetricInterface
    {
        public const TYPE_SNAPSHOT = 'snapshot';

        public const TYPE_PERIOD_MONTH = 'month';
    }

    interface ProviderInterface
    {
        public function metrics();

        public function usage();

        public function tenantUsage($tenant);
    }
}

namespace WHMCS\UsageBilling\Metrics\Units {
    final class MegaBytes
    {
    }
}

namespace WHMCS\UsageBilling\Metrics {
    use WHMCS\UsageBilling\Contracts\Metrics\MetricInterface;

    final class Usage
    {
        public $value;

        public function __construct($value)
        {
            $this->value = $value;
        }
    }

    final class Metric implements MetricInterface
    {
        public $name;

        public $type;

        /** @var Usage|null */
        public $usage;

        public function __construct(string $name, string $label, string $type, object $unit)
        {
            $this->name = $name;
            $this->type = $type;
        }

        public function systemName(): string
        {
            return $this->name;
        }

        public function withUsage(Usage $usage): self
        {
            $copy = clone $this;
            $copy->usage = $usage;
            return $copy;
        }
    }
}
