<?php

declare(strict_types=1);

$lang['Panel.name'] = 'Panel';
$lang['Panel.description'] = 'Provisions hosting accounts on a panel server.';
$lang['Panel.module_row'] = 'Server';
$lang['Panel.module_row_plural'] = 'Servers';
$lang['Panel.module_group'] = 'Server Group';
$lang['Panel.order_options.first'] = 'First Server';

// Servers
$lang['Panel.manage.add_row'] = 'Add Server';
$lang['Panel.manage.add_group'] = 'Add Server Group';
$lang['Panel.manage.rows'] = 'Servers';
$lang['Panel.manage.no_rows'] = 'There are no servers.';
$lang['Panel.manage.groups'] = 'Server Groups';
$lang['Panel.manage.no_groups'] = 'There are no server groups.';
$lang['Panel.manage.group_name'] = 'Group Name';
$lang['Panel.manage.group_servers'] = 'Servers';
$lang['Panel.manage.options'] = 'Options';
$lang['Panel.manage.edit'] = 'Edit';
$lang['Panel.manage.delete'] = 'Delete';
$lang['Panel.manage.confirm_row'] = 'Delete this server? The accounts on it stay as they are.';
$lang['Panel.manage.confirm_group'] = 'Delete this server group?';
$lang['Panel.row.add'] = 'Add Server';
$lang['Panel.row.edit'] = 'Edit Server';
$lang['Panel.row.save'] = 'Save and Test Connection';
$lang['Panel.row.server_name'] = 'Server Label';
$lang['Panel.row.host_name'] = 'Hostname';
$lang['Panel.row.port'] = 'Port (8443 if empty)';
$lang['Panel.row.api_token'] = 'API Token';
$lang['Panel.row.api_token_kept'] = 'API Token (leave empty to keep it)';

// Packages
$lang['Panel.package_fields.package'] = 'Package of the panel';
$lang['Panel.package_fields.domain'] = 'Domain';
$lang['Panel.package_fields.domain_required'] = 'Every order has a domain';
$lang['Panel.package_fields.domain_optional'] = 'An order may be without a domain';

// Services
$lang['Panel.service_fields.domain'] = 'Domain';
$lang['Panel.service_fields.username'] = 'Username';
$lang['Panel.service_fields.password'] = 'Password';
$lang['Panel.service_fields.made'] = 'Leave empty to generate one.';
$lang['Panel.service_fields.kept'] = 'Leave empty to keep it.';
$lang['Panel.service_fields.noted'] =
    'What Blesta has noted. The panel does not rename: change it without the module only.';
$lang['Panel.service_info.domain'] = 'Domain';
$lang['Panel.service_info.username'] = 'Username';
$lang['Panel.service_info.server'] = 'Server';

// Tabs
$lang['Panel.tab_login'] = 'Control Panel';
$lang['Panel.tab_stats'] = 'Usage';
$lang['Panel.tab_actions'] = 'Password';
$lang['Panel.login.about'] = 'Opens the control panel of this account, without its password.';
$lang['Panel.login.submit'] = 'Log in to the panel';
$lang['Panel.login.inactive'] = 'This service is not active.';
$lang['Panel.stats.disk'] = 'Disk';
$lang['Panel.stats.disk_value'] = '%1$s of %2$s MB';
$lang['Panel.stats.bandwidth'] = 'Bandwidth in %1$s';
$lang['Panel.stats.bandwidth_value'] = '%1$s MB';
$lang['Panel.stats.measured_at'] = 'Measured';
$lang['Panel.stats.not_measured'] = 'not yet';
$lang['Panel.stats.unknown'] = 'Not known at the moment.';
$lang['Panel.actions.password'] = 'New Password';
$lang['Panel.actions.confirm'] = 'New Password Again';
$lang['Panel.actions.submit'] = 'Change Password';
$lang['Panel.actions.changed'] = 'The password has been changed.';

// Errors
$lang['Panel.!error.module_row.missing'] = 'There is no server for this service.';
$lang['Panel.!error.server_name.empty'] = 'Enter a label for the server.';
$lang['Panel.!error.meta[package].empty'] = 'Choose a package of the panel.';
$lang['Panel.!error.panel_domain.valid'] = 'Enter a domain such as example.com.';
$lang['Panel.!error.panel_domain.changed'] =
    'The panel keeps the domain of an account. To correct what Blesta has, save without module.';
$lang['Panel.!error.panel_username.valid'] =
    'A username has 2 to 32 of a-z, 0-9, _ and -, from a letter to a letter or digit.';
$lang['Panel.!error.panel_username.changed'] =
    'The panel keeps the username of an account. To correct what Blesta has, save without module.';
$lang['Panel.!error.panel_password.valid'] = 'A password has 8 to 128 characters.';
$lang['Panel.!error.panel_confirm_password.valid'] = 'The passwords do not match.';
$lang['Panel.!error.unavailable'] =
    'The control panel cannot be reached now. Please try again later.';
