-- Every order of the list of cards has an index to walk, so that a page of 100,000 cards sorts nothing.
create index sim_cards_by_iccid_idx on sim_cards (tenant_id, carrier, iccid, id);
create index sim_cards_by_month_idx on sim_cards (tenant_id, carrier, (coalesce(month_kb, -1)::bigint), id);
create index sim_cards_by_state_since_idx on sim_cards (tenant_id, carrier, coalesce(state_since, '-infinity'), id);
create index sim_cards_by_expiry_idx on sim_cards (tenant_id, carrier, coalesce(expires_at, 'infinity'), id);
create index sim_cards_by_sync_idx on sim_cards (tenant_id, carrier, coalesce(synced_at, '-infinity'), id);
