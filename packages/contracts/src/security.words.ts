export const OTHER_FACTORS = ['passkey', 'sms', 'mail'] as const

export const SIGN_IN_RESULTS = ['ok', 'refused', 'second_factor'] as const
