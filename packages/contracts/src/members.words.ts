export const MEMBER_STATES = ['invited', 'active', 'frozen', 'left'] as const
