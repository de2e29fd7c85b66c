-- Whether visitors of a website get its source files, copies of them and dumps of databases.
alter table panel.sites add serves_sources boolean not null default false;
