-- The number is a part of the record that the API reads with its own rights (account_record.sql).
grant select (uid) on panel.accounts to panel_api;
