export const LEVELS = ['info', 'warning', 'error'] as const
