export const FIRMWARE_STATES = ['unverified', 'verifying', 'verified', 'verification_failed', 'disabled'] as const

/** A rollout, the trial of a package on test devices, or the way back of a rollout. */
export const CAMPAIGN_KINDS = ['rollout', 'verification', 'rollback'] as const

/**
 * scheduled → running ⇄ paused, running → stopped (by the failure rate; a person may resume it) → completed or
 * cancelled, which are the ends. A dynamic campaign stays `running` until it is cancelled or its end time comes.
 */
export const CAMPAIGN_STATES = ['scheduled', 'running', 'paused', 'stopped', 'completed', 'cancelled'] as const

/** States of one device's update. The last six are ends. */
export const OTA_JOB_STATES = [
  'to_confirm',
  'pending',
  'notified',
  'downloading',
  'downloaded',
  'verified',
  'installing',
  'succeeded',
  'failed',
  'timed_out',
  'rejected',
  'cancelled',
  'superseded',
] as const
