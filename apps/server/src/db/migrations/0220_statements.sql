-- A monthly statement reads the movements of a wallet by their time.
create index ledger_entries_at_idx on ledger_entries (wallet_id, account, at) include (kind, amount_fen);
