export const TARIFF_KINDS = ['fixed', 'steps', 'time_of_use'] as const
export type TariffKind = (typeof TARIFF_KINDS)[number]

/** prepaid: drawn from the balance as it is used. postpaid: a statement a month, paid afterwards. */
export const METER_MODES = ['prepaid', 'postpaid'] as const
export type MeterMode = (typeof METER_MODES)[number]

/** What becomes of the time between readings that lie too far apart: spread evenly, or not billed. */
export const GAP_MODES = ['estimate', 'open'] as const
export type GapMode = (typeof GAP_MODES)[number]

/** open: something of it is owed. */
export const STATEMENT_STATES = ['open', 'paid', 'voided'] as const
export type StatementState = (typeof STATEMENT_STATES)[number]

export const BILLING_STATES = ['running', 'done', 'cancelled'] as const

/** Why a meter cannot be billed. */
export const METER_PROBLEMS = ['fell', 'no_readings', 'no_end_user', 'no_device', 'no_price'] as const
export type MeterProblem = (typeof METER_PROBLEMS)[number]

export const MARK_KINDS = ['rollover', 'reset', 'estimate', 'open'] as const
export const READING_KINDS = ['measured', 'rollover', 'reset', 'refused'] as const
export const LINE_KINDS = ['fixed', 'step', 'band'] as const

/** How end users pay in the console; none: offline only, written down by the company. merchant: into its own account. */
export const ONLINE_WAYS = ['none', 'simulated', 'merchant'] as const
export const METER_PAYMENT_WAYS = ['offline', 'simulated', 'wechat', 'alipay'] as const
export const METER_PAYMENT_STATES = ['pending', 'succeeded', 'failed', 'closed'] as const
/** noticed: the end user was told and has time to pay. cut, restored: the device reported it. */
export const CUTOFF_STATES = [
  'noticed',
  'cutting',
  'cut',
  'cut_failed',
  'restoring',
  'restore_failed',
  'restored',
  'cancelled',
] as const
export type CutoffState = (typeof CUTOFF_STATES)[number]
