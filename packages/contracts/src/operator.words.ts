export const OPENING_STATES = ['inactive', 'trial', 'active'] as const

export const ANNOUNCEMENT_STATES = ['draft', 'published', 'expired', 'withdrawn'] as const
