import {
  type CampaignRetries,
  type CampaignTimeouts,
  OTA_JOB_ENDS,
  type OtaDeviceState,
  type OtaJobState,
} from '@thingwright/contracts/firmware-schemas'
import type { PlanStep } from './ota-plan.ts'
import { isSameVersion } from './version-key.ts'

/** Everything of a job that its states decide over. Times are epoch ms. */
export interface Job {
  state: OtaJobState
  fromVersion: string | null
  toVersion: string
  steps: readonly PlanStep[]
  /** Counted from 1. */
  step: number
  percent: number
  waitingFor: string | null
  /** Notices so far. */
  attempt: number
  /** Failures of this step. */
  tries: number
  errorCode: string | null
  message: string | null
  commandId: string | null
  commandState: string | null
  notifiedAt: number | null
  firstNotifiedAt: number | null
  changedAt: number
  dueAt: number | null
  nextAt: number
  finishedAt: number | null
}

/** What may happen to a job. */
export type Happening =
  | { kind: 'confirmed' | 'refused' }
  /** The notice left for the device, or the device took it by asking. */
  | { kind: 'told' }
  /** The notice ended without reaching the device, through nobody's fault. */
  | { kind: 'notice_back' }
  | { kind: 'notice_failed'; code: string; message: string | null }
  | { kind: 'progress'; state: string; percent: number | null; message: string | null }
  | { kind: 'inform'; version: string }
  /** Its phase took too long. */
  | { kind: 'timeout'; online: boolean }
  | { kind: 'cancelled'; code: string }
  | { kind: 'superseded' }
  /** A person wants it once more. */
  | { kind: 'again' }

export interface Rules {
  timeouts: CampaignTimeouts
  retries: CampaignRetries
  /** The campaign still begins attempts; one that was cancelled lets them run out. */
  live: boolean
}

/** A line of the time line. */
export interface Noted {
  kind: 'confirmed' | 'notified' | 'inform' | 'progress' | 'state' | 'retry' | 'timeout' | 'cancelled' | 'note'
  state: OtaJobState | null
  percent: number | null
  message: string | null
  data: Record<string, unknown>
}

export interface Outcome {
  job: Job
  noted: Noted[]
}

/** What a device says that takes full packages only. */
export const NO_DELTA = 'delta_not_supported'
/** A retry that waits this long for its device is given up. */
export const RETRY_WAIT_MS = 24 * 3_600_000
const LONGEST_BACKOFF_MS = 24 * 3_600_000
/** A device that came back before its download was done is told again, but not in the same breath. */
const TELL_AGAIN_MS = 15_000

const UNDER_WAY: ReadonlySet<OtaJobState> = new Set(['notified', 'downloading', 'downloaded', 'verified', 'installing'])
const LOADED: ReadonlySet<OtaJobState> = new Set(['downloaded', 'verified', 'installing'])
const WORDS: ReadonlySet<string> = new Set<OtaDeviceState>(['downloading', 'downloaded', 'verified', 'installing'])

export const isEnd = (state: OtaJobState): boolean => OTA_JOB_ENDS.includes(state)
export const isUnderWay = (state: OtaJobState): boolean => UNDER_WAY.has(state)

/**
 * The state machine of one device's update, the only place that decides over states. Pure: the same job, happening and
 * time give the same outcome, so a repeated report changes nothing twice.
 * @param now epoch ms
 * @returns null when it changes and says nothing
 */
export function step(job: Job, happening: Happening, rules: Rules, now: number): Outcome | null {
  switch (happening.kind) {
    case 'confirmed':
      if (job.state !== 'to_confirm') return null
      return become(job, { state: 'pending', waitingFor: 'turn', nextAt: now }, now, note('confirmed', 'pending'))
    case 'refused':
      if (job.state !== 'to_confirm') return null
      return end(job, 'rejected', 'refused_by_person', null, now)
    case 'told':
      if (job.state !== 'pending') return null
      return become(
        job,
        {
          state: 'notified',
          percent: 0,
          waitingFor: null,
          notifiedAt: now,
          firstNotifiedAt: job.firstNotifiedAt ?? now,
          dueAt: now + rules.timeouts.respondSeconds * 1000,
        },
        now,
        note('notified', 'notified', { attempt: job.attempt }),
      )
    case 'notice_back':
      if (job.state !== 'pending') return null
      return become(job, { ...noNotice, waitingFor: 'turn', nextAt: now }, now)
    case 'notice_failed':
      if (job.state !== 'pending') return null
      // The conditions were asked once more at the door: nothing failed, it waits.
      if (happening.code === 'interlocked')
        return become(job, { ...noNotice, waitingFor: 'precondition', nextAt: now + 60_000 }, now)
      return failed(sentOnce(job, now), happening.code, happening.message, 'failed', rules, now)
    case 'progress':
      return progress(job, happening, rules, now)
    case 'inform':
      return inform(job, happening.version, rules, now)
    case 'timeout':
      return timeout(job, happening.online, rules, now)
    case 'cancelled':
      if (isEnd(job.state) || job.state === 'installing') return null
      return end(job, 'cancelled', happening.code, null, now)
    case 'superseded':
      if (job.state !== 'to_confirm' && job.state !== 'pending') return null
      // It is under way, only the word that its notice left is still to come.
      if (noticeLeft(job)) return null
      return end(job, 'superseded', null, null, now)
    case 'again':
      if (job.state !== 'failed' && job.state !== 'timed_out' && job.state !== 'rejected') return null
      return become(
        job,
        {
          ...noNotice,
          state: 'pending',
          percent: 0,
          tries: 0,
          errorCode: null,
          message: null,
          waitingFor: 'turn',
          dueAt: null,
          nextAt: now,
          finishedAt: null,
        },
        now,
        note('retry', 'pending', { by: 'person' }),
      )
  }
}

const noNotice = { commandId: null, commandState: null } as const

function progress(job: Job, said: Happening & { kind: 'progress' }, rules: Rules, now: number): Outcome | null {
  const line = (state: OtaJobState | null): Noted => ({
    kind: 'progress',
    state,
    percent: said.percent,
    message: said.message,
    data: { said: said.state },
  })
  // A device that was told goes on by itself, also while its next notice waits.
  const told = isUnderWay(job.state) || (job.state === 'pending' && job.attempt > 0)
  // Why it went back to its old version comes after the version.
  if (said.state === 'failed' && said.message !== null && job.errorCode === 'version_reverted')
    return { job: { ...job, message: said.message }, noted: [line(null)] }
  if (!told) return { job, noted: [line(null)] }
  if (said.state === 'failed' && isUnderWay(job.state)) {
    const outcome = failed(job, codeOf(said.message), said.message, 'failed', rules, now)
    return { job: outcome.job, noted: [line(null), ...outcome.noted] }
  }
  // It can make nothing of differences: the whole package, and no failure of anybody's.
  if (said.state === 'rejected' && said.message === NO_DELTA && job.steps[job.step - 1]?.kind === 'delta' && rules.live)
    return become(
      job,
      { ...noNotice, state: 'pending', percent: 0, waitingFor: 'turn', errorCode: NO_DELTA, dueAt: null, nextAt: now },
      now,
      line('pending'),
    )
  if (said.state === 'rejected') {
    const outcome = end(job, 'rejected', codeOf(said.message, 'rejected_by_device'), said.message, now)
    return { job: outcome.job, noted: [line(null), ...outcome.noted] }
  }
  if (!WORDS.has(said.state)) return { job, noted: [line(null)] }
  const state = said.state as OtaJobState
  const seconds = LOADED.has(state) ? rules.timeouts.installSeconds : rules.timeouts.downloadSeconds
  // From downloaded on there is one time for all, or a device that repeats itself would never be late.
  const dueAt = LOADED.has(state) && LOADED.has(job.state) && job.dueAt !== null ? job.dueAt : now + seconds * 1000
  const percent = LOADED.has(state) ? 100 : (said.percent ?? (job.state === state ? job.percent : 0))
  const changes = {
    ...(job.state === 'pending' ? { notifiedAt: now, firstNotifiedAt: job.firstNotifiedAt ?? now } : {}),
    state,
    percent,
    waitingFor: null,
    dueAt,
    message: null,
  }
  const outcome = become(job, changes, now, line(state))
  // Quicker than the word that its notice left.
  if (job.state === 'pending' && job.commandId !== null)
    outcome.noted.unshift(note('notified', 'notified', { attempt: job.attempt }))
  return outcome
}

function inform(job: Job, version: string, rules: Rules, now: number): Outcome | null {
  const line = (state: OtaJobState | null = null): Noted => note('inform', state, { version })
  const isTarget = isSameVersion(version, job.toVersion)
  // Late, but there: the version decides, not the clock.
  if (job.state === 'timed_out' || job.state === 'failed')
    return isTarget && job.attempt > 0 ? succeeded(job, now, line('succeeded'), 'late') : null
  // Its notice had left when it was cancelled, so the device went on.
  if (job.state === 'cancelled' && job.errorCode !== 'already_there' && wasTold(job))
    return isTarget ? succeeded(job, now, line('succeeded'), 'after_cancel') : null
  if (isEnd(job.state)) return null
  if (job.state === 'to_confirm' || (job.state === 'pending' && job.attempt === 0)) {
    if (!isTarget) return null
    // It came there by another way.
    const outcome = end(job, 'cancelled', 'already_there', null, now)
    return { job: outcome.job, noted: [line(), ...outcome.noted] }
  }
  if (isTarget) return succeeded(job, now, line('succeeded'), null)
  const current = job.steps[job.step - 1]
  if (current && isSameVersion(version, current.version))
    return become(
      job,
      {
        ...noNotice,
        state: 'pending',
        step: job.step + 1,
        percent: 0,
        tries: 0,
        waitingFor: 'turn',
        dueAt: null,
        nextAt: now,
        errorCode: null,
        message: null,
      },
      now,
      line('pending'),
    )
  if (LOADED.has(job.state)) {
    const before = current ? (current.fromVersion ?? job.fromVersion) : job.fromVersion
    const code = before !== null && !isSameVersion(version, before) ? 'version_unexpected' : 'version_reverted'
    const outcome = failed(job, code, version, 'failed', rules, now)
    return { job: outcome.job, noted: [line(), ...outcome.noted] }
  }
  // It restarted before its download was done and may have lost the notice: the same one again, no failure.
  if (isUnderWay(job.state) && rules.live && now - (job.notifiedAt ?? 0) >= TELL_AGAIN_MS)
    return become(
      job,
      { ...noNotice, state: 'pending', waitingFor: 'turn', dueAt: now + RETRY_WAIT_MS, nextAt: now },
      now,
      line('pending'),
    )
  return { job, noted: [line()] }
}

/** What was sent and not confirmed in time may have come all the same. */
const LEFT: ReadonlySet<string | null> = new Set(['sent', 'delivered', 'succeeded', 'timed_out'])

/** The notice is over and its command forgotten; that it may have reached the device stays known. */
function sentOnce(job: Job, now: number): Job {
  const left = noticeLeft(job) || (job.commandId !== null && job.commandState === 'rejected')
  return left && job.firstNotifiedAt === null ? { ...job, firstNotifiedAt: now } : job
}

/** Whether a notice reached the device, or is on its way to it. */
function wasTold(job: Job): boolean {
  return job.firstNotifiedAt !== null || noticeLeft(job)
}

/** Whether the notice of this attempt is no longer in the queue of the device. */
function noticeLeft({ commandId, commandState }: Job): boolean {
  return commandId !== null && LEFT.has(commandState)
}

/** @param code what is to be said of the success beside it */
function succeeded(job: Job, now: number, line: Noted, code: 'late' | 'after_cancel' | null): Outcome {
  return become(
    job,
    {
      state: 'succeeded',
      percent: 100,
      step: job.steps.length,
      waitingFor: null,
      errorCode: code,
      message: null,
      dueAt: null,
      finishedAt: now,
    },
    now,
    line,
  )
}

const TIMEOUT_CODES: Partial<Record<OtaJobState, string>> = {
  notified: 'no_response',
  downloading: 'download_timeout',
  downloaded: 'install_timeout',
  verified: 'install_timeout',
  installing: 'install_timeout',
}

function timeout(job: Job, online: boolean, rules: Rules, now: number): Outcome | null {
  if (job.dueAt === null || job.dueAt > now || isEnd(job.state)) return null
  const line = note('timeout', null, { phase: job.state })
  const over = (outcome: Outcome): Outcome => ({ job: outcome.job, noted: [line, ...outcome.noted] })
  if (job.state === 'pending' || job.state === 'to_confirm')
    return over(end(job, 'timed_out', 'device_gone', null, now))
  const code = TIMEOUT_CODES[job.state] ?? 'timeout'
  // Gone in the middle of installing: perhaps for ever. It counts now; should it come back new, the version says so.
  if (LOADED.has(job.state) && !online) return over(end(job, 'timed_out', code, null, now))
  return over(failed(job, code, null, 'timed_out', rules, now))
}

/** One attempt failed: another one after a while, or this was the last. */
function failed(
  job: Job,
  code: string,
  message: string | null,
  last: 'failed' | 'timed_out',
  { retries, live }: Rules,
  now: number,
): Outcome {
  if (!live || job.tries >= retries.max) return end({ ...job, tries: job.tries + 1 }, last, code, message, now)
  const wait = Math.min(retries.backoffSeconds * 1000 * 2 ** job.tries, LONGEST_BACKOFF_MS)
  return become(
    job,
    {
      ...noNotice,
      state: 'pending',
      percent: 0,
      tries: job.tries + 1,
      waitingFor: 'backoff',
      errorCode: code,
      message,
      nextAt: now + wait,
      dueAt: now + wait + RETRY_WAIT_MS,
    },
    now,
    { ...note('retry', 'pending', { code, afterSeconds: Math.round(wait / 1000) }), message },
  )
}

function end(job: Job, state: OtaJobState, errorCode: string | null, message: string | null, now: number): Outcome {
  return become(job, { state, errorCode, message, waitingFor: null, dueAt: null, finishedAt: now }, now, {
    ...note(state === 'cancelled' ? 'cancelled' : 'state', state, errorCode === null ? {} : { code: errorCode }),
    message,
  })
}

function become(job: Job, changes: Partial<Job>, now: number, line?: Noted): Outcome {
  return { job: { ...job, ...changes, changedAt: now }, noted: line ? [line] : [] }
}

function note(kind: Noted['kind'], state: OtaJobState | null, data: Record<string, unknown> = {}): Noted {
  return { kind, state, percent: null, message: null, data }
}

/** A device's message is its reason when it looks like one of its codes. */
function codeOf(message: string | null, otherwise = 'failed_by_device'): string {
  return message !== null && /^[a-z][a-z0-9_.]{0,47}$/.test(message) ? message : otherwise
}
