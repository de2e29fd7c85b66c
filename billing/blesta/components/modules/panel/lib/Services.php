<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The services as Blesta keeps them.
 */
final class Services
{
    // The others have no account any more, or none yet.
    private const WITH_ACCOUNT = ['active', 'suspended'];

    /** @var object Blesta's component that asks the database */
    private $record;

    public function __construct(object $record)
    {
        $this->record = $record;
    }

    /**
     * Whether no other service of the server has the account.
     *
     * @param int $service the one that asks; 0 where Blesta has not stored it yet
     */
    public function isFree(string $username, int $service, int $server): bool
    {
        $taken = $this->record->select(['services.id'])
            ->from('service_fields')
            ->innerJoin('services', 'services.id', '=', 'service_fields.service_id', false)
            ->where('service_fields.key', '=', 'panel_username')
            ->where('service_fields.value', '=', $username)
            ->where('services.module_row_id', '=', $server)
            ->where('services.status', 'in', self::WITH_ACCOUNT)
            ->where('services.id', '!=', $service)
            ->fetch();
        return !is_object($taken);
    }

    public function countOf(int $client): int
    {
        return (int) $this->record->select(['services.id'])
            ->from('services')
            ->where('services.client_id', '=', $client)
            ->numResults();
    }
}
