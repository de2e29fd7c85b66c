-- Returns the counter for attempts at a name from a network, while the name itself waits: a /24, or
-- the /48 that one IPv6 customer often has. Internal.
create or replace function panel.network_counter(p_name text, p_address inet)
returns text
language sql immutable strict
as $$
  select 'network:' || network(set_masklen(p_address,
    case family(p_address) when 6 then 48 else 24 end)) || ':' || p_name;
$$;
