/** How long an alarm is put aside, in minutes. */
export const SHELVE_MINUTES = [30, 120, 480, 1440, 10_080] as const
