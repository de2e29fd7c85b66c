<?php

declare(strict_types=1);

namespace Panel\Billing;

/**
 * Whether an account that the token cannot see is terminated. It may as well be another seller's,
 * or on another server.
 */
final class TerminationProof
{
    /** @var Provisioning */
    private $panel;

    /** @var AccountSearch */
    private $search;

    /** @var string where this panel is, as Address::url() has it */
    private $server;

    public function __construct(Provisioning $panel, AccountSearch $search, string $server)
    {
        $this->panel = $panel;
        $this->search = $search;
        $this->server = $server;
    }

    /** @throws Failure where nothing proves it; it says what to check */
    public function demand(string $username, Order $order, StoredLink $link): void
    {
        $live = $this->search->find($order);
        if ($live !== null) {
            throw new Failure(
                "The account of this order is $live[username] on the panel server, and $username is"
                    . ' what the order names: correct the user name, then terminate it.'
            );
        }
        if (!$link->isMade()) {
            // Only a panel knows the token. The create has left nothing under the reference.
            $this->panel->packages();
            if ($link->attempts() !== '') {
                $this->panel->attempts($link)->demandNoOther();
            }
            return;
        }
        // First, as the order may have had an earlier account here, of the same name.
        $made = $link->server();
        if (!in_array($made, ['', $this->server], true)) {
            throw new Failure(
                "The account $username was made on another server: $made. Check which one the"
                    . ' order has. If the account was deleted there, end the service without the'
                    . ' module.'
            );
        }
        $seller = $link->seller();
        if ($seller !== '' && $seller !== $this->search->seller()) {
            throw $this->unproved($username, $seller);
        }
        if ($this->search->isTerminated($username, $order, $link->madeAt())) {
            return;
        }
        if ($made === '' || $seller === '') {
            throw $this->unproved($username, $seller);
        }
    }

    private function unproved(string $username, string $seller): Failure
    {
        $of = $seller === '' || $seller === Expected::OWN_CATALOGUE ? '' : " of $seller";
        return new Failure(
            "The token$of does not see the account $username, and nothing proves that it is gone."
                . ' Check that server and API token are those that it was made with. If it was'
                . ' deleted in the panel, end the service without the module.'
        );
    }
}
