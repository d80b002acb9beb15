export const VERIFICATION_STATES = ['unverified', 'in_review', 'verified', 'rejected'] as const
