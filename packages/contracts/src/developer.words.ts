/** What keeps a key from working; `maker_frozen` and `maker_left`: it stands on the person who made it. */
export const API_KEY_STATES = ['active', 'expired', 'revoked', 'maker_frozen', 'maker_left'] as const
