/** What somebody of a company should look at; each kind is told by the module that knows of it. */
export const ATTENTION_KINDS = [
  'devices_lost',
  'commands_failed',
  'campaign_waiting',
  'campaign_stopped',
  'campaign_failures',
  'certificates_expiring',
  'api_keys_expiring',
  'quota_near',
  'quota_full',
  'subscription_down',
  'company_ending',
] as const

/** The worst first. */
export const ATTENTION_LEVELS = ['critical', 'warning', 'info'] as const

/** What devices are counted by. */
export const DISTRIBUTIONS = ['product', 'linkType'] as const

/** Cards of the overview in the order in which everybody meets them. */
export const HOME_CARDS = [
  'attention',
  'changes',
  'facts',
  'online',
  'messages',
  'products',
  'quotas',
  'firmware',
  'newDevices',
  'commands',
  'talkers',
  'links',
] as const

/** The longest span that trends are shown of, in days. */
export const LONGEST_TREND_DAYS = 31
