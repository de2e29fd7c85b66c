<?php

declare(strict_types=1);

// The default welcome e-mail of a new package.
Configure::set('Panel.email_templates', [
    'en_us' => [
        'lang' => 'en_us',
        'text' => 'Your hosting account is ready.

Website: {service.panel_domain}
Control panel: https://{module.host_name}:{module.port}
User name: {service.panel_username}
Password: {service.panel_password}

You can also sign in from our client area, without the password.',
        'html' => '<p>Your hosting account is ready.</p>
<p>Website: {service.panel_domain}<br />
Control panel: https://{module.host_name}:{module.port}<br />
User name: {service.panel_username}<br />
Password: {service.panel_password}</p>
<p>You can also sign in from our client area, without the password.</p>',
    ],
]);
