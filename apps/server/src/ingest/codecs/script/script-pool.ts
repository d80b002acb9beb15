import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { inBackground } from '../../../lib/background.ts'
import type { Logger } from '../../../lib/log.ts'
import { startThread } from '../../../lib/thread.ts'
import {
  ALIVE,
  AT_JOB,
  type BatchReply,
  READY,
  type ScriptFailure,
  type ScriptJob,
  type ScriptOutcome,
} from './script-jobs.ts'

export interface ScriptPoolOptions {
  logger: Logger
  /** Threads; between 2 and 4 by the cores of the machine. */
  size?: number
  /** Time that never jumps, ms. */
  now?: () => number
  /** A thread that shows no sign of life for so long is killed, ms. */
  hangMs?: number
}

/** Frames handed to a thread at once: enough to make the way there cheap, few enough to take turns. */
const BATCH = 64
/** Frames that may wait for one script. Whoever sends more is told that it is not keeping up. */
const MOST_WAITING = 2_000
/** After so many failures in a row that cost time a script rests. */
const FAILURES = 3
const REST_MS = 1_000
const LONGEST_REST_MS = 30_000
const HANG_MS = 3_000
const LOOK_MS = 250

interface Waiting {
  job: ScriptJob
  done(outcome: ScriptOutcome): void
}

interface Script {
  readonly key: string
  readonly source: string
  readonly waiting: Waiting[]
  /** Held by a thread: one at a time, so that a device's frames keep their order. */
  running: boolean
  failures: number
  restUntil: number
  users: number
}

interface Thread {
  worker: Worker
  shared: Int32Array
  script: Script | null
  batch: Waiting[]
  known: Set<string>
  /** Without a sign of life, ms. */
  silentMs: number
  alive: number
  ready: boolean
}

/**
 * Threads that run scripts of users, so that no script ever holds up the process. Scripts take turns; one that keeps
 * failing slowly rests; a thread that hangs is killed and replaced, and only the frame that hung it is lost.
 */
export class ScriptPool {
  private readonly scripts = new Set<Script>()
  private readonly shared = new Map<string, Script>()
  /** Scripts with frames that no thread has, in the order of their turns. */
  private readonly turns: Script[] = []
  private readonly threads: Thread[] = []
  private readonly size: number
  private readonly now: () => number
  private watch: NodeJS.Timeout | null = null
  private lookedAt = 0
  private stopped = false
  readonly counters = { frames: 0, failed: 0, killed: 0, refused_resting: 0, busy_ms: 0 }

  constructor(private readonly options: ScriptPoolOptions) {
    this.size = options.size ?? Math.max(2, Math.min(4, availableParallelism() - 1))
    this.now = options.now ?? (() => performance.now())
  }

  /**
   * A script that will be used. Scripts of the same text are not one: what a device of one company makes its script do
   * must not make another company's rest.
   * @param owner those who name the same owner (a product) share the script
   */
  open(source: string, owner?: string): ScriptHandle {
    const shared = owner === undefined ? null : `${owner}\n${source}`
    const script = (shared === null ? undefined : this.shared.get(shared)) ?? this.make(source)
    if (shared !== null) this.shared.set(shared, script)
    script.users++
    let open = true
    return {
      run: job => this.run(script, job),
      close: () => {
        if (!open) return
        open = false
        if (--script.users > 0) return
        if (shared !== null) this.shared.delete(shared)
        this.forget(script)
      },
    }
  }

  private make(source: string): Script {
    const script = { key: `s${++lastKey}`, source, waiting: [], running: false, failures: 0, restUntil: 0, users: 0 }
    this.scripts.add(script)
    return script
  }

  private forget(script: Script): void {
    this.scripts.delete(script)
    for (const thread of this.threads)
      if (thread.known.delete(script.key)) thread.worker.postMessage({ kind: 'forget', key: script.key })
  }

  /** Frames that wait or run. */
  get waiting(): number {
    let count = 0
    for (const script of this.scripts) count += script.waiting.length
    for (const thread of this.threads) count += thread.batch.length
    return count
  }

  /** Since start; `…_state` is the present number. */
  metrics(): Record<string, number> {
    const { frames, failed, killed, refused_resting, busy_ms } = this.counters
    return {
      script_frames: frames,
      script_failures: failed,
      script_threads_killed: killed,
      script_frames_resting: refused_resting,
      script_busy_seconds: busy_ms / 1_000,
      script_threads_state: this.threads.length,
      script_waiting_state: this.waiting,
    }
  }

  async stop(): Promise<void> {
    this.stopped = true
    if (this.watch) clearInterval(this.watch)
    await Promise.all(this.threads.splice(0).map(thread => thread.worker.terminate()))
  }

  private run(script: Script, job: ScriptJob): Promise<ScriptOutcome> {
    this.counters.frames++
    if (script.restUntil > this.now() || this.stopped) {
      this.counters.refused_resting++
      return Promise.resolve(timedOut('the script took too long several times; it rests for a moment'))
    }
    if (script.waiting.length >= MOST_WAITING)
      return Promise.resolve(timedOut(`more than ${MOST_WAITING} frames wait for the script`))
    return new Promise(done => {
      script.waiting.push({ job, done })
      this.queue(script)
      this.hand()
    })
  }

  private queue(script: Script): void {
    if (!script.running && script.waiting.length > 0 && !this.turns.includes(script)) this.turns.push(script)
  }

  /** Gives free threads work. */
  private hand(): void {
    while (this.turns.length > 0) {
      const thread = this.threads.find(candidate => candidate.ready && candidate.script === null)
      if (!thread) {
        const busy = this.threads.length >= this.size || this.threads.some(candidate => !candidate.ready)
        if (!busy && !this.stopped) this.threads.push(this.start())
        return
      }
      const script = this.turns.shift()!
      const batch = script.waiting.splice(0, script.failures > 0 ? 1 : BATCH)
      script.running = true
      thread.script = script
      thread.batch = batch
      thread.silentMs = 0
      const source = thread.known.has(script.key) ? {} : { source: script.source }
      thread.known.add(script.key)
      thread.worker.postMessage({ kind: 'batch', key: script.key, ...source, jobs: batch.map(({ job }) => job) })
    }
  }

  private start(): Thread {
    const memory = new SharedArrayBuffer(8)
    const worker = startWorker(memory)
    const thread: Thread = {
      worker,
      shared: new Int32Array(memory),
      script: null,
      batch: [],
      known: new Set(),
      silentMs: 0,
      alive: 0,
      ready: false,
    }
    worker.on('message', (reply: BatchReply | typeof READY) => {
      if (reply !== READY) return this.took(thread, reply)
      thread.ready = true
      this.hand()
    })
    worker.on('error', error => {
      this.options.logger.warn({ err: error }, 'script thread failed')
      this.lost(thread, {
        ok: false,
        reason: 'script_memory',
        detail: 'the script brought its thread down',
        line: null,
      })
    })
    // A running thread does not keep the process alive.
    worker.unref()
    this.watch ??= setInterval(() => this.look(), LOOK_MS).unref()
    return thread
  }

  private took(thread: Thread, { outcomes, broken, ms }: BatchReply): void {
    const { script, batch } = thread
    if (!script) return
    this.counters.busy_ms += ms
    thread.script = null
    thread.batch = []
    script.running = false
    script.waiting.unshift(...batch.slice(outcomes.length))
    if (broken) this.replace(thread)
    for (const outcome of outcomes) this.judge(script, outcome, 1)
    this.queue(script)
    this.hand()
    for (let i = 0; i < outcomes.length; i++) batch[i]!.done(outcomes[i]!)
  }

  /** Whether a script deserves rest: one that costs its bound again and again would starve the others. */
  private judge(script: Script, outcome: ScriptOutcome, weight: number): void {
    if (outcome.ok) {
      script.failures = 0
      return
    }
    this.counters.failed++
    if (outcome.reason === 'script_error') return
    script.failures += weight
    if (script.failures < FAILURES) return
    const rest = Math.min(LONGEST_REST_MS, REST_MS * 2 ** Math.min(10, script.failures - FAILURES))
    script.restUntil = this.now() + rest
    const resting = timedOut('the script took too long several times; it rests for a moment')
    for (const { done } of script.waiting.splice(0)) {
      this.counters.refused_resting++
      done(resting)
    }
  }

  /** Threads that hang inside one step of the engine, which asks nobody. */
  private look(): void {
    const now = this.now()
    // Where the whole machine stood still, so did the threads: one look cannot blame them for more than its own time.
    const passed = Math.min(now - this.lookedAt, 2 * LOOK_MS)
    this.lookedAt = now
    for (const thread of [...this.threads]) {
      const alive = Atomics.load(thread.shared, ALIVE)
      thread.silentMs = alive !== thread.alive || !thread.script || !thread.ready ? 0 : thread.silentMs + passed
      thread.alive = alive
      if (thread.silentMs > (this.options.hangMs ?? HANG_MS)) {
        this.counters.killed++
        this.options.logger.warn({ frames: thread.batch.length }, 'script thread hangs; it is replaced')
        this.lost(thread, timedOut('did not come back; its thread was ended'))
      }
    }
  }

  /** A thread is gone with its batch: the frame that it was at is refused, the others wait again. */
  private lost(thread: Thread, outcome: ScriptFailure): void {
    const { script, batch } = thread
    this.replace(thread)
    thread.script = null
    thread.batch = []
    if (script) {
      const at = Math.min(Atomics.load(thread.shared, AT_JOB), batch.length - 1)
      const before = batch.splice(0, at)
      const culprit = batch.shift()
      script.running = false
      script.waiting.unshift(...batch)
      this.judge(script, outcome, FAILURES)
      // What came before it was done but not told: it is done again, whether the script rests or not.
      script.waiting.unshift(...before)
      this.queue(script)
      culprit?.done(outcome)
    }
    this.hand()
  }

  private replace(thread: Thread): void {
    const at = this.threads.indexOf(thread)
    if (at !== -1) this.threads.splice(at, 1)
    thread.worker.removeAllListeners()
    thread.worker.on('error', () => undefined)
    inBackground('ending a thread of scripts', thread.worker.terminate())
  }
}

/** A script in a pool. */
export interface ScriptHandle {
  /** Never rejects. Outcomes of one script come in the order of the calls. */
  run(job: ScriptJob): Promise<ScriptOutcome>
  close(): void
}

let lastKey = 0

function timedOut(detail: string): ScriptFailure {
  return { ok: false, reason: 'script_timeout', detail, line: null }
}

function startWorker(memory: SharedArrayBuffer): Worker {
  return startThread(
    import.meta.url,
    { built: 'script-worker', source: 'script.worker.ts' },
    {
      workerData: memory,
      // The engine's own recursion stands on this stack: it must end at its own bound first.
      resourceLimits: { stackSizeMb: 32, maxOldGenerationSizeMb: 128 },
    },
  )
}
