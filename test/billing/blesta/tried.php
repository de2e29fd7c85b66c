<?php

namespace PanelTest;

/** The module, except that a page's end throws instead of ending the process. */
class Tried extends \Panel
{
    protected function leaveFor(string $url): void
    {
        throw new Left($url);
    }
}
