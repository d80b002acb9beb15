/** What a list asks of the link; `lost`: heard once, and silent for a day by now. */
export const LINK_FILTERS = ['online', 'offline', 'never', 'lost'] as const
export type LinkFilter = (typeof LINK_FILTERS)[number]

/** What a list asks of open alarms: one of any level, or one of this level as the gravest. */
export const ALARM_FILTERS = ['any', '5', '4', '3', '2', '1'] as const
export type AlarmFilter = (typeof ALARM_FILTERS)[number]
