<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The number of the current order. FOSSBilling passes a manager no number, but the log that it
 * gives the manager for this order has it, to write it into every line.
 */
final class OrderNumber
{
    /** @return int 0 where it is not known; it may be an earlier order's */
    public static function in(?object $log): int
    {
        if ($log === null) {
            return 0;
        }
        $read = function () {
            return $this->_extras['client_order_id'] ?? 0;
        };
        try {
            return (int) \Closure::bind($read, $log, get_class($log))();
        } catch (\Throwable $unreadable) {
            return 0;
        }
    }
}
