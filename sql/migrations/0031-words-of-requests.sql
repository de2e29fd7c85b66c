-- Method and target of an API request, for `panel jobs show`; null for what came by another door or
-- was asked of an earlier release.  No target holds a secret.
alter table panel.operations add column request text;
