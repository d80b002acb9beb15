/** What a list asks of the link; `lost`: heard once, and silent for a day by now. */
export const LINK_FILTERS = ['online', 'offline', 'never', 'lost'] as const
export type LinkFilter = (typeof LINK_FILTERS)[number]
