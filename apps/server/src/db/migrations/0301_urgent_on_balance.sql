-- Whether texts and calls of the gravest alarms are paid from the balance when no units are left.
alter table wallets add column urgent_on_balance boolean not null default true;
grant update (urgent_on_balance) on wallets to :app;
