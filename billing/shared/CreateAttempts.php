<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * The panels and sellers that the create of an order was sent to and may have an account with.
 *
 * They are stored before the create is sent: where its answer is lost and the token is another
 * seller's by then, nothing else shows that there may be an account.
 */
final class CreateAttempts
{
    /** @var array<string, string> sellers, by a hash of the token, which never changes its owner */
    private static $sellers = [];

    /** @var StoredLink */
    private $link;

    /** @var string a line of what is stored: this panel and the seller of the token */
    private $here;

    /** @throws Failure where the panel does not say whose the token is: before anything is sent */
    public function __construct(StoredLink $link, AccountSearch $search, Client $client)
    {
        $this->link = $link;
        $key = $client->fingerprint();
        $seller = self::$sellers[$key] ?? $search->seller();
        if ($seller !== '') {
            self::$sellers[$key] = $seller;
        }
        $this->here = rtrim($client->address() . " $seller");
    }

    /** @return bool whether no earlier create was sent here and is undecided */
    public function begin(): bool
    {
        $all = self::of($this->link);
        if (in_array($this->here, $all, true)) {
            return false;
        }
        $this->link->saveAttempts(implode("\n", [...$all, $this->here]));
        return true;
    }

    /** The panel has shown that there is no account here. */
    public function end(): void
    {
        $others = $this->others();
        if ($others !== self::of($this->link)) {
            $this->link->saveAttempts(implode("\n", $others));
        }
    }

    /**
     * For an order of which there is no account here.
     *
     * @throws Failure where another panel or seller may have one
     */
    public function demandNoOther(): void
    {
        $this->end();
        $others = $this->others();
        if ($others === []) {
            return;
        }
        [$server, $seller] = explode(' ', $others[0] . ' ');
        $of = in_array($seller, ['', Expected::OWN_CATALOGUE], true) ? '' : " of $seller";
        throw new Failure(
            "The create of this order was sent to $server with another token$of, and its answer was"
                . ' lost: there may be an account. Terminate it with a token of that seller. If'
                . ' there is none, end the service without the module.'
        );
    }

    /** @return string[] */
    private function others(): array
    {
        return array_values(array_diff(self::of($this->link), [$this->here]));
    }

    /** @return string[] */
    private static function of(StoredLink $link): array
    {
        return array_values(array_filter(explode("\n", $link->attempts()), 'strlen'));
    }
}
