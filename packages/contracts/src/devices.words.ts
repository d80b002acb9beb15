export const LINK_FILTERS = ['online', 'offline', 'never'] as const
