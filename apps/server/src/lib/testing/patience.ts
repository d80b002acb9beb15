/**
 * For `vi.waitFor`, which gives up after a second when it is told nothing: a condition is waited for, not a time, and a
 * busy machine makes a test slower, not red.
 */
export const PATIENCE = { timeout: 45_000, interval: 20 }
