export const CARRIERS = ['cmcc', 'ctcc'] as const
export const CARRIER_KINDS = ['onelink', 'cmp', 'dcp'] as const
export const CONNECTION_STATES = ['untested', 'ok', 'failed', 'disabled'] as const

export const CARD_STATES = [
  'unsynced',
  'inventory',
  'testable',
  'testing',
  'pending',
  'active',
  'stopped',
  'carrier_hold',
  'dormant',
  'transferred',
  'pre_cancel',
  'cancelled',
  'unknown',
] as const

export const STOP_REASONS = ['manual', 'quota', 'separated', 'arrears', 'expired', 'carrier'] as const

export const CARD_ACTIONS = [
  'activate',
  'to_pending',
  'to_inventory',
  'stop',
  'resume',
  'data_off',
  'data_on',
  'limit',
  'unlimit',
  'reset',
  'bind_imei',
  'unbind_imei',
] as const

export const OPERATION_STATES = ['queued', 'submitted', 'succeeded', 'failed', 'timed_out', 'cancelled'] as const
export const CARD_FORMS = ['plug_in', 'embedded'] as const
/** How long the plan of a card runs. */
export const CARD_TERMS = ['year', 'quarter', 'month', 'other'] as const
export const CARD_USES = ['single', 'shared', 'pool'] as const
export const SPEEDS_KBPS = [128, 512, 1024, 2048] as const
/** What is told of a card. */
export const CARD_ALERTS = ['usage', 'sudden', 'imei', 'offline', 'expiring', 'data_ending', 'silent_ending'] as const
/** Shares of a plan that a list is filtered by. */
export const USAGE_LINES = ['over50', 'over80', 'over100'] as const
/** Steps of the check of a card, in order. */
export const CARD_CHECKS = ['state', 'functions', 'session', 'apn', 'imei', 'separation', 'position', 'reset'] as const

/**
 * 19 or 20 characters. China Mobile writes letters from the seventh place on (898604B7192270274525,
 * 898602B12616C0613882); before that stand 89, country and carrier in digits (ITU-T E.118).
 */
export const ICCID_PATTERN = '^89[0-9]{4}[0-9A-Fa-f]{13,14}$'
