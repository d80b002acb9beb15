/** Seconds of a step: trends of up to two days are drawn of the short ones, longer ones of hours. */
export const SHORT_STEP = 300
export const LONG_STEP = 3_600
/** Days for which samples are kept: short steps, hours, and the devices that sent most. */
export const KEPT_DAYS = { short: 4, long: 92, talkers: 8 } as const
/** A device that was heard and has been silent so long counts as lost. */
export const LOST_AFTER_MS = 86_400_000
