<?php

/**
 * The panel's module for Blesta, version @version@.
 */

declare(strict_types=1);

use Panel\Billing\PackageForm;
use Panel\Billing\PanelConnection;
use Panel\Billing\ServerRows;
use Panel\Billing\ServiceForm;
use Panel\Billing\ServiceLife;
use Panel\Billing\ServiceOrder;
use Panel\Billing\ServiceOwner;
use Panel\Billing\ServiceTabs;

require_once __DIR__ . '/lib/autoload.php';

// Blesta puts its components, models and helpers into undeclared properties.
#[\AllowDynamicProperties]
class Panel extends Module
{
    use PackageForm;
    use PanelConnection;
    use ServerRows;
    use ServiceForm;
    use ServiceLife;
    use ServiceOrder;
    use ServiceOwner;
    use ServiceTabs;

    public function __construct()
    {
        $this->loadConfig(__DIR__ . DS . 'config.json');
        Loader::loadComponents($this, ['Input']);
        Language::loadLang('panel', null, __DIR__ . DS . 'language' . DS);
    }

    /** Nothing is kept that a newer version would have to change. */
    public function upgrade($current_version)
    {
    }

    /** The link is all that leaves, and it is valid once: nothing may keep or pass it on. */
    protected function leaveFor(string $url): void
    {
        header('Cache-Control: no-store');
        header('Referrer-Policy: no-referrer');
        header('Location: ' . $url, true, 303);
        exit;
    }
}
