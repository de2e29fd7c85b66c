-- Whether visitors of a website by HTTP are sent to HTTPS, once it has a certificate.
alter table panel.sites add https_only boolean not null default false;
