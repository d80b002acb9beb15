/** What becomes of a message about an alarm. */
export const RECORD_STATES = ['pending', 'sending', 'sent', 'failed'] as const
