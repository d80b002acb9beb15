/** Words of reports: plain values that the console shows too. */

/** What a report is made of. */
export const REPORT_SOURCES = ['list', 'overview', 'telemetry', 'page'] as const
export type ReportSourceKind = (typeof REPORT_SOURCES)[number]

/** Lists that can be reported: the operations that take them out as a file. */
export const REPORT_LISTS = [
  'devices.export',
  'products.export',
  'alarms.export',
  'endUsers.export',
  'simCards.export',
  'videoChannels.export',
  'loraGateways.export',
  'loraProfiles.export',
  'telecom.export',
  'timedTasks.export',
  'timedTasks.exportRuns',
  'cloudPages.export',
  'commandBatches.export',
  'otaJobs.export',
  'contacts.export',
  'contacts.exportRecords',
  'wechatFollowers.export',
  'wallets.exportEntries',
  'wallets.exportConsumption',
  'wallets.exportUnitUses',
  'purchaseOrders.export',
  'purchaseOrders.exportRecharges',
  'cardOrders.export',
  'invoices.export',
  'members.export',
  'roles.export',
  'addresses.export',
  'media.export',
  'audit.export',
  'userLog.export',
  'security.companyHistoryExport',
] as const
export type ReportList = (typeof REPORT_LISTS)[number]

export const REPORT_FORMATS = ['xlsx', 'pdf'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

/** The stretch of time that a report is about, in whole days of its time zone. */
export const REPORT_PERIODS = ['yesterday', 'last_7_days', 'last_month'] as const
export type ReportPeriod = (typeof REPORT_PERIODS)[number]

export const REPORT_INTERVALS = ['5_minutes', '10_minutes', '15_minutes', '30_minutes', 'hour', 'day'] as const
export type ReportInterval = (typeof REPORT_INTERVALS)[number]

export const REPORT_FUNCTIONS = ['average', 'min', 'max', 'sum', 'last'] as const
export type ReportFunction = (typeof REPORT_FUNCTIONS)[number]

export const REPORT_SCHEDULES = ['daily', 'weekly', 'monthly'] as const

export const REPORT_RECIPIENTS = ['member', 'contact', 'mail'] as const

export const REPORT_STATES = ['enabled', 'disabled', 'error'] as const
export type ReportState = (typeof REPORT_STATES)[number]

export const REPORT_LIMITS = {
  reports: 200,
  recipients: 50,
  devices: 50,
  properties: 16,
  columns: 60,
  /** Rows on paper; a workbook holds as many as an export. */
  pdfRows: 2_000,
  /** Columns on paper. */
  pdfColumns: 12,
  /** Days of a telemetry report by the minute: more rows are no table for people. */
  rows: 100_000,
} as const
