import type { Readable } from 'node:stream'
import type { ErrorCode } from '@thingwright/contracts/errors'
import type { Permission } from '@thingwright/contracts/permissions'
import { type Actor, type Ctx, dataScopeOf } from '../../lib/context.ts'
import { AppError } from '../../lib/errors.ts'

/** What the work of a task knows and tells. */
export interface RunningTask {
  /** Whoever started it, with the rights and the data scope he has at each moment. */
  readonly ctx: Ctx
  readonly input: unknown
  /** Parts that an earlier run finished before its process ended; 0 at first. Only for resumable kinds. */
  readonly doneBefore: number
  /** Parts finished so far, and in all when that is known. Written some times a second, however often it is called. */
  progress(done: number, total?: number): void
  /** A part that could not be done; the task goes on. All are counted, the first 1,000 are kept. */
  failed(item: string, code: ErrorCode, params?: Record<string, unknown>): void
  /** Asked between parts: whoever sees true returns soon. */
  cancelled(): boolean
  /** The same for what takes a signal. */
  readonly signal: AbortSignal
  /** The task's one file, for whoever started it; a second one replaces the first. */
  saveFile(fileName: string, contentType: string, body: Buffer | Readable): Promise<void>
}

export interface TaskResult {
  summary?: Record<string, unknown>
  /** Whether it came to its end without having done anything; absent: it did unless every part of it failed. */
  nothingDone?: boolean
}

export interface TaskHandler {
  run(task: RunningTask): Promise<TaskResult>
  /**
   * Rights that the work takes: without them it does not begin, ends when one of them is taken back, and what it made is
   * not handed out.
   */
  needs(input: unknown): readonly Permission[]
  /** It shows the whole company: not for who sees a part of it. */
  wholeCompany?: boolean
  /**
   * The work may begin again after its process was killed, with `doneBefore` parts behind it: whatever it does twice
   * has the effect of once. Otherwise such a task has failed, and a person starts it anew.
   */
  resumable?: boolean
  /** May be started again from the task centre with the same input. Default true. */
  retryable?: boolean
}

/** The part of the object store (modules/media) that tasks use. */
export interface TaskFiles {
  put(key: string, body: Buffer | Readable, options: { contentType: string; size?: number }): Promise<void>
  get(key: string): Promise<{ body: Readable; size: number; contentType: string } | null>
  remove(key: string): Promise<void>
}

export type TaskHandlers = ReadonlyMap<string, TaskHandler>

/** @throws AppError permission.denied, scope.whole_company: this is not, or no longer, the actor's to do or to have */
export function requireRights(
  handler: Pick<TaskHandler, 'needs' | 'wholeCompany'>,
  actor: Actor,
  input: unknown,
): void {
  if (actor.kind === 'system') return
  const missing = handler.needs(input).find(right => !actor.permissions.has(right))
  if (missing) throw new AppError('permission.denied', { params: { permission: missing } })
  if (handler.wholeCompany && dataScopeOf(actor).kind === 'limited') throw new AppError('scope.whole_company')
}
