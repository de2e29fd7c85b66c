<?php

namespace PanelTest;

/** The module, but for the end of the page's process. */
class Tried extends \Panel
{
    protected function leaveFor(string $url): void
    {
        throw new Left($url);
    }
}
