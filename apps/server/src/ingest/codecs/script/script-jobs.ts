import type { CommandToEncode } from '../codec.ts'

/** One call of a script. */
export type ScriptJob =
  | {
      kind: 'up'
      hex: string
      port?: number
      deviceNo: string
      at: number
      variables: Readonly<Record<string, string>>
      logs?: boolean
    }
  | {
      kind: 'down'
      command: CommandToEncode
      port?: number
      deviceNo: string
      variables: Readonly<Record<string, string>>
      logs?: boolean
    }
  /** Reads the source and says which functions it has. */
  | { kind: 'check' }

export interface ScriptFailure {
  ok: false
  reason: 'script_error' | 'script_timeout' | 'script_memory'
  detail: string
  /** Line of the author's source, from 1. */
  line: number | null
  logs?: string[]
}

export interface ScriptSuccess {
  ok: true
  /** Of up: what the function gave back, and in whose manner. */
  style?: 'own' | 'plain' | 'alibaba'
  result?: unknown
  /** Names of values that are no finite numbers; they are null in the result. */
  unreadable?: string[]
  /** Of down. */
  frames?: ({ bytes: number[] } | { text: string })[]
  port?: number
  /** Of check. */
  found?: string[]
  logs?: string[]
}

export type ScriptOutcome = ScriptSuccess | ScriptFailure

/** To a worker: jobs of one script. `source` comes along until the worker knows it. */
export interface BatchMessage {
  kind: 'batch'
  key: string
  source?: string
  jobs: readonly ScriptJob[]
}
export interface ForgetMessage {
  kind: 'forget'
  key: string
}

/** From a worker: the outcomes of the jobs, fewer than there were when it stopped after a failure that cost time. */
export interface BatchReply {
  outcomes: ScriptOutcome[]
  /** The worker is not fit to go on. */
  broken: boolean
  /** Milliseconds that the jobs took. */
  ms: number
}

/** Places in the memory that worker and pool share. */
export const ALIVE = 0
export const AT_JOB = 1

/** First word of a worker. */
export const READY = 'ready'
