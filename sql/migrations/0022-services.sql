-- What the services that all accounts share leave undone while they are not running, as sentences
-- for the accounts that have websites and for those that may use SFTP: kept as it is by the worker.
alter table panel.server
  add column websites_warning text,
  add column sftp_warning     text;
