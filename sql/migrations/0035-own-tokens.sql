-- Owners make and revoke their API tokens on pages too, and see when each was used last.
grant insert (owner_id, name, hash, allowed, expires_at, credential_epoch) on panel.tokens
  to panel_api;
grant update (revoked_at) on panel.tokens to panel_api;
