-- The suspension that an account is shown with while an operation that ends or replaces it is in
-- progress, as {"reason", "by"}: `suspend_reason` and `suspended_by` say what is desired. Null
-- where they say what is.
alter table panel.accounts add column suspension_before jsonb;
grant select (suspension_before) on panel.accounts to panel_api;

-- Accounts are looked up by the address of their owner, and told with the name of their reseller.
create index accounts_email on panel.accounts (lower(email)) where state <> 'terminated';
create index owners_reseller on panel.owners (seller_id) where role = 'reseller';
