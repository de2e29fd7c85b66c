-- The secret that a webhook had before it got another one, for as long as an administrator has
-- chosen: requests carry the signatures of both.
alter table panel.webhooks
  -- Encrypted like `secret`, and erased when its time is over.
  add column previous_secret bytea check (octet_length(previous_secret) between 30 and 2048),
  add column previous_until timestamptz,
  add constraint webhooks_previous_check
    check ((previous_secret is null) = (previous_until is null));
grant select (previous_until) on panel.webhooks to panel_api;
