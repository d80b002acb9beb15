import { describe, expect, it } from 'vitest'
import {
  actionsOf,
  isCampaignOver,
  JOB_STATES,
  jobActionsOf,
  percentDone,
  shareOf,
  sharesOf,
  signOfJob,
} from './words.ts'

describe('states of an update', () => {
  it('all have a sign and a share', () => {
    for (const state of JOB_STATES) {
      expect(signOfJob(state), state).toBeTruthy()
      expect(shareOf(state), state).toBeTruthy()
    }
  })

  it('add up; a state nobody knows yet counts as on its way', () => {
    const shares = sharesOf({
      pending: 5,
      to_confirm: 1,
      installing: 2,
      succeeded: 90,
      failed: 1,
      rejected: 1,
      novel: 3,
    })
    expect(shares).toEqual({ waiting: 6, active: 5, ok: 90, bad: 2, out: 0 })
  })

  it('say a hundred percent only when every device came to an end', () => {
    expect(percentDone(1000, sharesOf({ succeeded: 999, pending: 1 }))).toBe(99)
    expect(percentDone(1000, sharesOf({ succeeded: 990, failed: 10 }))).toBe(100)
    expect(percentDone(0, sharesOf({}))).toBe(0)
  })

  it('allow what fits them', () => {
    expect(jobActionsOf('to_confirm')).toEqual(['confirm', 'reject'])
    expect(jobActionsOf('timed_out')).toEqual(['retry'])
    expect(jobActionsOf('installing')).toEqual(['refresh'])
    expect(jobActionsOf('downloading')).toContain('cancel')
    expect(jobActionsOf('succeeded')).toEqual([])
  })
})

describe('a campaign', () => {
  const campaign = (state: Parameters<typeof actionsOf>[0]['state'], counts: Record<string, number>) => ({
    state,
    counts,
    kind: 'rollout' as const,
  })

  it('offers what it can do as it stands', () => {
    expect(actionsOf(campaign('running', { pending: 3 }))).toEqual(['pause', 'cancel'])
    expect(actionsOf(campaign('stopped', { failed: 3, succeeded: 1 }))).toEqual([
      'resume',
      'retry',
      'rollback',
      'cancel',
    ])
    expect(actionsOf(campaign('completed', { failed: 1 }))).toEqual(['retry'])
    expect(actionsOf(campaign('cancelled', { failed: 1, cancelled: 3 }))).toEqual([])
    expect(actionsOf({ ...campaign('completed', { succeeded: 3 }), kind: 'rollback' })).toEqual([])
  })

  it('is over when nothing of it is under way', () => {
    expect(isCampaignOver(campaign('cancelled', { installing: 1 }))).toBe(false)
    expect(isCampaignOver(campaign('cancelled', { cancelled: 1 }))).toBe(true)
    expect(isCampaignOver(campaign('paused', {}))).toBe(false)
  })
})
