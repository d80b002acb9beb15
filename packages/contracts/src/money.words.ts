/** Kinds of movements of money, as the operation log and the list of entries name them. */
export const ENTRY_KINDS = ['top_up', 'purchase', 'charge', 'refund', 'gift', 'freeze', 'release', 'adjust'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** What is charged for. */
export const CHARGE_ITEMS = ['platform', 'devices', 'sms', 'voice', 'storage', 'api', 'sim', 'video', 'other'] as const
export type ChargeItem = (typeof CHARGE_ITEMS)[number]

export const UNIT_KINDS = ['sms', 'voice'] as const
export type UnitKind = (typeof UNIT_KINDS)[number]
/** reserved: it is being sent. released: it was not sent and the units came back. */
export const UNIT_USE_STATES = ['reserved', 'settled', 'released'] as const
export type UnitUseState = (typeof UNIT_USE_STATES)[number]

/** What the platform sells: a term with quotas, more of one quota, messages, calls, SIM cards with a data plan. */
export const CATALOGUE_KINDS = ['plan', 'expansion', 'sms', 'voice', 'sim'] as const
export type CatalogueKind = (typeof CATALOGUE_KINDS)[number]

export const CATALOGUE_STATES = ['draft', 'published', 'retired'] as const

/** sim: new cards, which are shipped; sim_renewal: a further term of cards that are there. */
export const ORDER_KINDS = ['plan', 'expansion', 'sms', 'voice', 'sim', 'sim_renewal', 'top_up'] as const
export type OrderKind = (typeof ORDER_KINDS)[number]

export const ORDER_STATES = [
  'pending',
  'paid',
  'processing',
  'shipped',
  'completed',
  'faulted',
  'cancelled',
  'closed',
  'refund_requested',
  'refunding',
  'refunded',
  'partly_refunded',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

export const PAYMENT_STATES = ['created', 'pending', 'in_review', 'succeeded', 'failed', 'refused', 'closed'] as const
export type PaymentState = (typeof PAYMENT_STATES)[number]

export const PROVIDERS = ['balance', 'simulated', 'wechat', 'alipay', 'transfer'] as const
export type Provider = (typeof PROVIDERS)[number]
/** Payment providers that an operator sets up with keys. */
export const ONLINE_PROVIDERS = ['wechat', 'alipay'] as const
export type OnlineProvider = (typeof ONLINE_PROVIDERS)[number]
/** code: a picture that a phone scans. page: a page of the provider that the browser opens. */
export const PAY_FORMS = ['code', 'page'] as const
export type PayForm = (typeof PAY_FORMS)[number]

export const REFUND_STATES = ['requested', 'processing', 'done', 'refused', 'failed'] as const
export type RefundState = (typeof REFUND_STATES)[number]

export const INVOICE_STATES = ['none', 'open', 'partly', 'issued', 'reversed'] as const

/** Top-ups: at least 1 yuan, at most 500,000, to the fen. */
export const TOP_UP_FEN = { least: 100, most: 50_000_000 } as const

/** Minutes in which an order can be paid. */
export const PAY_MINUTES = 30

/** Quotas of which more can be bought. */
export const EXPANDABLE = ['devices', 'products', 'members', 'mediaBytes', 'messagesPerDay'] as const

/** ordinary: fully digitalised ordinary VAT invoice, special: digitalised special VAT invoice, special_paper: special VAT invoice on paper. */
export const INVOICE_TYPES = ['ordinary', 'special', 'special_paper'] as const
export type InvoiceType = (typeof INVOICE_TYPES)[number]

/** What becomes of an invoice that was asked for, a red-letter one too. */
export const INVOICE_STAGES = [
  'submitted',
  'issuing',
  'issued',
  'delivered',
  'rejected',
  'withdrawn',
  'failed',
  'voided',
] as const
export type InvoiceStage = (typeof INVOICE_STAGES)[number]
export const RED_REASONS = ['returned', 'mistaken', 'ended', 'discounted'] as const
export type RedReason = (typeof RED_REASONS)[number]
export const QUALIFICATION_STATES = ['in_review', 'approved', 'rejected', 'expired'] as const
export type QualificationState = (typeof QUALIFICATION_STATES)[number]
/** What is invoiced: paid orders, or money that was paid in. */
export const INVOICE_BASES = ['order', 'top_up'] as const
export type InvoiceBasis = (typeof INVOICE_BASES)[number]
/** The least that is invoiced at once. */
export const INVOICE_MIN_FEN = 1_000
/** Of a picture or PDF of the voucher of a bank transfer. */
export const VOUCHER_FILE_BYTES = 5_242_880
export const VOUCHER_FILES_MOST = 3
export const INVOICE_FILE_BYTES = 5_242_880

/** Forms of a SIM card that is sold: three sizes that are plugged in, and a chip. */
export const SOLD_FORMS = ['2ff', '3ff', '4ff', 'embedded'] as const
export type SoldForm = (typeof SOLD_FORMS)[number]
export const STOCK_STATES = ['free', 'shipped'] as const
/** Days after which shipped cards count as received. */
export const RECEIVE_DAYS = 10
export const CARDS_PER_ORDER = 10_000
export const CARDS_PER_RENEWAL = 1_000
