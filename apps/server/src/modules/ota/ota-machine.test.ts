import { OTA_JOB_STATES } from '@thingwright/contracts/firmware-schemas'
import { describe, expect, it } from 'vitest'
import { type Happening, isEnd, type Job, RETRY_WAIT_MS, type Rules, step } from './ota-machine.ts'

const NOW = 1_000_000_000
const rules: Rules = {
  timeouts: { respondSeconds: 60, downloadSeconds: 600, installSeconds: 900 },
  retries: { max: 2, backoffSeconds: 30 },
  live: true,
}
const one = { packageId: 'p1', kind: 'delta' as const, fromVersion: '1', version: '2', size: 10 }
const two = { packageId: 'p2', kind: 'delta' as const, fromVersion: '2', version: '3', size: 10 }

const waiting: Job = {
  state: 'pending',
  fromVersion: '1',
  toVersion: '2',
  steps: [one],
  step: 1,
  percent: 0,
  waitingFor: 'offline',
  attempt: 1,
  tries: 0,
  errorCode: null,
  message: null,
  commandId: 'c',
  commandState: 'sent',
  notifiedAt: null,
  firstNotifiedAt: null,
  changedAt: 0,
  dueAt: null,
  nextAt: 0,
  finishedAt: null,
}

const progress = (state: string, percent: number | null = null, message: string | null = null): Happening => ({
  kind: 'progress',
  state,
  percent,
  message,
})
const inform = (version: string): Happening => ({ kind: 'inform', version })

/** Lets things happen one after the other, a second apart. */
function life(job: Job, ...happenings: Happening[]): Job {
  return happenings.reduce((at, happening, n) => step(at, happening, rules, NOW + n * 1000)?.job ?? at, job)
}

describe('the update of a device', () => {
  it('knows a version by any of its spellings', () => {
    const install = life(waiting, { kind: 'told' }, progress('installing'))
    expect(life(install, inform('V2')).state).toBe('succeeded')
    expect(life(install, inform(' v2 ')).state).toBe('succeeded')
    expect(life(install, inform('V1')).errorCode).toBe('version_reverted')
    expect(life({ ...waiting, attempt: 0, commandId: null }, inform('V2')).errorCode).toBe('already_there')
  })

  it('succeeds only when the device reports the version', () => {
    const states = [progress('downloading', 40), progress('downloaded'), progress('verified'), progress('installing')]
    let job = life(waiting, { kind: 'told' })
    expect(job).toMatchObject({ state: 'notified', notifiedAt: NOW, dueAt: NOW + 60_000 })
    for (const said of states) {
      job = life(job, said)
      expect(job.finishedAt).toBeNull()
    }
    expect(job).toMatchObject({ state: 'installing', percent: 100 })
    expect(life(job, inform('2'))).toMatchObject({ state: 'succeeded', finishedAt: NOW, dueAt: null })
  })

  it('is tried again when the old version comes back, so many times', () => {
    const installing = life(waiting, { kind: 'told' }, progress('installing'))
    const again = life(installing, inform('1'))
    expect(again).toMatchObject({
      state: 'pending',
      errorCode: 'version_reverted',
      tries: 1,
      nextAt: NOW + 30_000,
      commandId: null,
    })
    expect(life(again, progress('failed', null, 'trial_failed'))).toMatchObject({ tries: 1, message: 'trial_failed' })
    const twice = life({ ...again, attempt: 2 }, { kind: 'told' }, progress('installing'), inform('1'))
    expect(twice).toMatchObject({ state: 'pending', tries: 2, nextAt: NOW + 2000 + 60_000 })
    expect(life(twice, { kind: 'told' }, progress('installing'), inform('1'))).toMatchObject({
      state: 'failed',
      errorCode: 'version_reverted',
      tries: 3,
    })
  })

  it('may begin before the word that its notice left, which then stands in its time line all the same', () => {
    const outcome = step(waiting, progress('downloading', 1), rules, NOW)!
    expect(outcome.job).toMatchObject({ state: 'downloading', notifiedAt: NOW, firstNotifiedAt: NOW })
    expect(outcome.noted.map(line => line.kind)).toEqual(['notified', 'progress'])
  })

  it('goes along a chain version by version', () => {
    const chain = { ...waiting, toVersion: '3', steps: [one, two] }
    const half = life(chain, { kind: 'told' }, progress('installing'), inform('2'))
    expect(half).toMatchObject({ state: 'pending', step: 2, tries: 0, commandId: null })
    expect(life(half, { kind: 'told' }, progress('installing'), inform('3'))).toMatchObject({
      state: 'succeeded',
      step: 2,
    })
  })

  it('outlives a restart in the middle of the download: the same notice again, no failure', () => {
    const loading = life(waiting, { kind: 'told' }, progress('downloading', 50))
    expect(step(loading, inform('1'), rules, NOW + 2000)?.job).toMatchObject({ state: 'downloading', percent: 50 })
    const back = step(loading, inform('1'), rules, NOW + 60_000)!.job
    expect(back).toMatchObject({ state: 'pending', tries: 0, errorCode: null, nextAt: NOW + 60_000 })
    // It may as well go on by itself.
    expect(life(back, progress('downloading', 51))).toMatchObject({ state: 'downloading', percent: 51 })
  })

  it('fails by the word of the device with its code, and is refused by it for good', () => {
    const told = life(waiting, { kind: 'told' }, progress('downloading', 10))
    expect(life(told, progress('failed', null, 'hash_mismatch'))).toMatchObject({
      state: 'pending',
      errorCode: 'hash_mismatch',
      waitingFor: 'backoff',
    })
    expect(life(told, progress('failed', null, 'Flash is full!'))).toMatchObject({
      errorCode: 'failed_by_device',
      message: 'Flash is full!',
    })
    expect(life(told, progress('rejected', null, 'downgrade'))).toMatchObject({
      state: 'rejected',
      errorCode: 'downgrade',
    })
    // It takes no differences: the whole package next, and nothing failed.
    expect(life(told, progress('rejected', null, 'delta_not_supported'))).toMatchObject({
      state: 'pending',
      tries: 0,
      errorCode: 'delta_not_supported',
      nextAt: NOW,
    })
    // Said twice, it counts once.
    expect(life(told, progress('failed', null, 'x'), progress('failed', null, 'x'))).toMatchObject({ tries: 1 })
  })

  it('notes words that it does not know, and what comes after the end', () => {
    const told = life(waiting, { kind: 'told' })
    const noted = step(told, progress('formatting', 3), rules, NOW)!
    expect(noted.job).toEqual(told)
    expect(noted.noted).toMatchObject([{ kind: 'progress', data: { said: 'formatting' } }])
    const done = life(told, inform('2'))
    expect(step(done, progress('failed'), rules, NOW)!.job).toEqual(done)
  })

  it('times out by phase: again, unless the device went away while it installed', () => {
    const late = (job: Job, online: boolean) =>
      step({ ...job, dueAt: NOW - 1 }, { kind: 'timeout', online }, rules, NOW)!.job
    const told = life(waiting, { kind: 'told' })
    expect(late(told, true)).toMatchObject({ state: 'pending', errorCode: 'no_response', tries: 1 })
    expect(late(life(told, progress('downloading')), false)).toMatchObject({
      state: 'pending',
      errorCode: 'download_timeout',
      dueAt: NOW + 30_000 + RETRY_WAIT_MS,
    })
    const installing = life(told, progress('installing'))
    expect(late(installing, true)).toMatchObject({ state: 'pending', errorCode: 'install_timeout' })
    const gone = late(installing, false)
    expect(gone).toMatchObject({ state: 'timed_out', errorCode: 'install_timeout' })
    // It came back new after all.
    expect(life(gone, inform('2'))).toMatchObject({ state: 'succeeded', errorCode: 'late' })
    expect(step(told, { kind: 'timeout', online: true }, rules, NOW)).toBeNull()
  })

  it('that was cancelled after its notice had left succeeds when the device reports the version all the same', () => {
    const cancel: Happening = { kind: 'cancelled', code: 'by_person' }
    const left = life(waiting, cancel)
    expect(left).toMatchObject({ state: 'cancelled', errorCode: 'by_person' })
    expect(life(left, inform('2'))).toMatchObject({ state: 'succeeded', errorCode: 'after_cancel' })
    expect(life(waiting, { kind: 'told' }, progress('downloading'), cancel, inform('2')).state).toBe('succeeded')
    expect(life(left, inform('1')).state).toBe('cancelled')
    const unconfirmed = { ...waiting, commandState: 'timed_out' }
    expect(life(unconfirmed, cancel, inform('2')).state).toBe('succeeded')
    // Taken back in time: the device came to the version by another way.
    expect(life(waiting, { kind: 'notice_back' }, cancel, inform('2')).state).toBe('cancelled')
    const takenBack = { ...waiting, commandState: 'cancelled' }
    expect(life(takenBack, cancel, inform('2')).state).toBe('cancelled')
  })

  it('that was cancelled between two attempts succeeds as well when a notice had left before', () => {
    const cancel: Happening = { kind: 'cancelled', code: 'by_person' }
    const ended = (commandState: string, code: string) =>
      life({ ...waiting, commandState }, { kind: 'notice_failed', code, message: null })
    for (const [state, code] of [
      ['timed_out', 'connection_lost'],
      ['timed_out', 'no_reply'],
      ['rejected', '1'],
    ] as const) {
      const backoff = ended(state, code)
      expect(backoff).toMatchObject({ state: 'pending', waitingFor: 'backoff', commandId: null })
      expect(life(backoff, cancel, inform('2')), state).toMatchObject({ state: 'succeeded', errorCode: 'after_cancel' })
      expect(life(backoff, cancel, inform('1')).state, state).toBe('cancelled')
    }
    // These never left the queue.
    for (const [state, code] of [
      ['cancelled', 'notice_cancelled'],
      ['failed', 'encode_failed'],
    ] as const)
      expect(life(ended(state, code), cancel, inform('2')), state).toMatchObject({ state: 'cancelled' })
    // What followed did not fail its first attempt, but a later one.
    const later = life(waiting, { kind: 'told' }, progress('failed'), cancel, inform('2'))
    expect(later).toMatchObject({ state: 'succeeded', errorCode: 'after_cancel' })
  })

  it('that waits is taken over by another campaign, but not when its notice has left', () => {
    const taken = life({ ...waiting, commandState: 'queued' }, { kind: 'superseded' })
    expect(taken).toMatchObject({ state: 'superseded', finishedAt: NOW })
    expect(step(waiting, { kind: 'superseded' }, rules, NOW)).toBeNull()
    expect(step(life(waiting, { kind: 'told' }), { kind: 'superseded' }, rules, NOW)).toBeNull()
  })

  it('does not get more time by repeating that it is done loading', () => {
    const loaded = life(waiting, { kind: 'told' }, progress('downloaded'))
    expect(step(loaded, progress('installing'), rules, NOW + 500_000)!.job.dueAt).toBe(loaded.dueAt)
  })

  it('waits on when the conditions failed at the door, and when the notice came back', () => {
    expect(life(waiting, { kind: 'notice_failed', code: 'interlocked', message: null })).toMatchObject({
      state: 'pending',
      tries: 0,
      waitingFor: 'precondition',
    })
    expect(life(waiting, { kind: 'notice_back' })).toMatchObject({ state: 'pending', tries: 0, commandId: null })
  })

  it('begins nothing new in a campaign that is over', () => {
    const told = life(waiting, { kind: 'told' })
    expect(step(told, progress('failed'), { ...rules, live: false }, NOW)!.job.state).toBe('failed')
  })

  it('whatever happens in whatever state: an end has its time, and leaves only for success or by a person', () => {
    const happenings: Happening[] = [
      { kind: 'confirmed' },
      { kind: 'refused' },
      { kind: 'told' },
      { kind: 'notice_back' },
      { kind: 'notice_failed', code: 'x', message: null },
      ...['downloading', 'downloaded', 'verified', 'installing', 'failed', 'rejected', 'other'].map(word =>
        progress(word),
      ),
      inform('1'),
      inform('2'),
      inform('9'),
      { kind: 'timeout', online: true },
      { kind: 'timeout', online: false },
      { kind: 'cancelled', code: 'x' },
      { kind: 'superseded' },
      { kind: 'again' },
    ]
    for (const state of OTA_JOB_STATES)
      for (const happening of happenings) {
        const job: Job = { ...waiting, state, dueAt: NOW - 1, finishedAt: isEnd(state) ? NOW - 5 : null }
        const outcome = step(job, happening, rules, NOW)
        if (!outcome) continue
        const next = outcome.job
        expect(next.finishedAt !== null, `${state} ${JSON.stringify(happening)}`).toBe(isEnd(next.state))
        if (isEnd(next.state)) expect(next.dueAt === null || next.state === state).toBe(true)
        if (isEnd(state) && next.state !== state)
          expect(happening.kind === 'again' || (happening.kind === 'inform' && next.state === 'succeeded')).toBe(true)
        if (next.state === 'succeeded' && state !== 'succeeded') expect(happening).toEqual(inform('2'))
        // The same once more says nothing new of its state.
        expect(step(next, happening, rules, NOW)?.job.state ?? next.state).toBe(next.state)
      }
  })
})
