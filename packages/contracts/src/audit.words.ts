export const AUDIT_RESULTS = ['ok', 'refused', 'failed'] as const

export const USER_LOG_KINDS = ['sign_in', 'lock_out', 'sign_out', 'command', 'export'] as const
