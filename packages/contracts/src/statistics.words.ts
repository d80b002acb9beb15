/** What somebody of a company should look at; each kind is told by the module that knows of it. */
export const ATTENTION_KINDS = [
  'alarms_open',
  'devices_lost',
  'commands_failed',
  'campaign_waiting',
  'campaign_stopped',
  'campaign_failures',
  'quota_near',
  'quota_full',
  'sim_cards_stopped',
  'sim_cards_near',
  'lora_gateways_offline',
] as const

/** The worst first. */
export const ATTENTION_LEVELS = ['critical', 'warning', 'info'] as const

/** What devices are counted by. */
export const DISTRIBUTIONS = ['product', 'linkType', 'province', 'firmware', 'carrier'] as const

/** The longest span that trends are shown of, in days. */
export const LONGEST_TREND_DAYS = 31
