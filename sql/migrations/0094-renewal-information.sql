-- By which name its authority is asked when to renew what is served (RFC 9773); null where there is
-- none to ask by: the certificate names no key of its issuer, or was installed before.
alter table panel.certificates
  add column renewal_id text check (renewal_id ~ '^[A-Za-z0-9_-]{1,100}\.[A-Za-z0-9_-]{1,100}$');
grant select (site_id, renewal_id) on panel.certificates to panel_courier;
