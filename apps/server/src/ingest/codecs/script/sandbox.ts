import { readFileSync } from 'node:fs'
import releaseSync from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { HARNESS, SCRIPT_NAME, wrapSource } from './harness.ts'
import type { ScriptFailure, ScriptJob, ScriptOutcome } from './script-jobs.ts'

/** Bounds of one call. */
export interface SandboxLimits {
  /** Processor time, ms. */
  cpuMs: number
  memoryBytes: number
  stackBytes: number
}

export const LIMITS: SandboxLimits = { cpuMs: 50, memoryBytes: 16 * 2 ** 20, stackBytes: 128 * 1024 }

/** On a machine with more work than cores a call may take this much longer by the clock than by the processor. */
const WALL_FACTOR = 20
/** More than this between two looks at the clock, and the whole machine may have stood still: it counts as so much, ms. */
const LONGEST_GAP_MS = 100
/** Reading a script and making its surroundings may take this much longer than a frame: on a cold engine it does. */
const PREPARE_FACTOR = 10
/** Contexts that hold more than this after a call are not used again. */
const KEPT_BYTES = 512 * 1024
/** Part of every JavaScript engine, but declared only among the types of browsers. */
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: MemoryConstructor } }).WebAssembly
type MemoryConstructor = new (bounds: { initial: number; maximum: number }) => WasmMemory
type WasmMemory = Extract<Parameters<typeof newVariant>[1]['wasmMemory'], { buffer: unknown }>

/** Frames between two looks at the memory of a script. */
const LOOK_EVERY = 64
/** Scripts that stay ready in one sandbox; each takes about 0.2 MB of the engine's own memory. */
const READY = 32
const PAGE = 65_536
/** What the engine begins with: its stack (5 MB), its own data, and the scripts that are ready. */
const OWN_PAGES = (16 * 2 ** 20) / PAGE
/** A result longer than this is no set of readings. */
const LONGEST_RESULT = 512 * 1024

interface Ready {
  runtime: QuickJSRuntime
  context: QuickJSContext
  run: QuickJSHandle
}

/** Thrown when the engine itself is broken: the thread must be given up. */
export class EngineBroken extends Error {}

/**
 * QuickJS compiled to WebAssembly: scripts have no way out, because nothing of the host is handed in. One runtime per
 * script, each frame with its variables made anew. Not re-entrant; belongs to one thread.
 */
export class Sandbox {
  private readonly ready = new Map<string, Ready>()
  private lookedAt = 0
  private wallMs = 0
  private allowedMs = 0
  private runs = 0
  private cpuAtFirstLook = -1

  private constructor(
    private readonly engine: QuickJSWASMModule,
    private readonly limits: SandboxLimits,
    /** Told at each frame and each look at the clock. */
    private readonly alive: () => void,
  ) {}

  static async create(limits: SandboxLimits = LIMITS, alive: () => void = () => undefined): Promise<Sandbox> {
    // The engine cannot tell how much a script holds (it has no malloc_usable_size here), so what bounds a script is the
    // memory that the engine has: growing it fails, and the script is told so.
    const wasmMemory = new Memory({
      initial: OWN_PAGES,
      maximum: OWN_PAGES + Math.ceil(limits.memoryBytes / PAGE),
    })
    const engine = await newQuickJSWASMModuleFromVariant(newVariant(releaseSync, { wasmMemory }))
    return new Sandbox(engine, limits, alive)
  }

  /**
   * Runs one job of a script.
   * @throws EngineBroken when the engine cannot be used any more
   */
  run(key: string, source: string, job: ScriptJob): ScriptOutcome {
    try {
      this.begin(this.limits.cpuMs * PREPARE_FACTOR)
      const ready = this.ready.get(key) ?? this.prepare(key, source)
      if ('ok' in ready) return ready
      this.begin(this.limits.cpuMs)
      const text = ready.context.newString(JSON.stringify(job))
      const called = ready.context.callFunction(ready.run, ready.context.undefined, text)
      text.dispose()
      if (called.error) {
        const failure = failureOf(ready.context, called.error)
        this.drop(key)
        // Memory is one for all: what the ready ones hold must not be what the next one lacks.
        if (failure.reason === 'script_memory') for (const other of [...this.ready.keys()]) this.drop(other)
        return failure
      }
      const outcome = outcomeOf(ready.context.getString(called.value))
      called.value.dispose()
      if (this.isSpoiled(ready)) this.drop(key)
      return outcome
    } catch (error) {
      throw new EngineBroken(String(error))
    }
  }

  /** Lets go of a script. */
  drop(key: string): void {
    const ready = this.ready.get(key)
    if (!ready) return
    this.ready.delete(key)
    ready.run.dispose()
    ready.context.dispose()
    ready.runtime.dispose()
  }

  private prepare(key: string, source: string): Ready | ScriptFailure {
    for (const oldest of this.ready.keys()) {
      if (this.ready.size < READY) break
      this.drop(oldest)
    }
    const runtime = this.engine.newRuntime()
    // A single block larger than this is refused without being tried.
    runtime.setMemoryLimit(this.limits.memoryBytes)
    runtime.setMaxStackSize(this.limits.stackBytes)
    runtime.setInterruptHandler(() => this.isOver())
    const context = runtime.newContext()
    const parts: QuickJSHandle[] = []
    const give = (failure: ScriptFailure): ScriptFailure => {
      for (const part of parts) part.dispose()
      context.dispose()
      runtime.dispose()
      return failure
    }
    for (const [code, name] of [
      [HARNESS, 'harness.js'],
      [wrapSource(source), SCRIPT_NAME],
    ] as const) {
      const evaluated = context.evalCode(code, name)
      this.alive()
      if (evaluated.error) return give(failureOf(context, evaluated.error))
      parts.push(evaluated.value)
    }
    const [install, factory] = parts as [QuickJSHandle, QuickJSHandle]
    if (context.typeof(factory) !== 'function')
      return give({ ok: false, reason: 'script_error', detail: 'not a script', line: null })
    const installed = context.callFunction(install, context.undefined, factory)
    if (installed.error) return give(failureOf(context, installed.error))
    for (const part of parts) part.dispose()
    const ready = { runtime, context, run: installed.value }
    this.ready.set(key, ready)
    return ready
  }

  private begin(allowedMs: number): void {
    this.lookedAt = performance.now()
    this.wallMs = 0
    this.allowedMs = allowedMs
    this.cpuAtFirstLook = -1
    this.alive()
  }

  /** Asked by the engine every few thousand steps. */
  private isOver(): boolean {
    this.alive()
    const now = performance.now()
    this.wallMs += Math.min(now - this.lookedAt, LONGEST_GAP_MS)
    this.lookedAt = now
    if (this.cpuAtFirstLook < 0) this.cpuAtFirstLook = threadCpuMs()
    if (this.wallMs <= this.allowedMs) return false
    if (this.wallMs > this.allowedMs * WALL_FACTOR) return true
    const cpu = threadCpuMs()
    return cpu < 0 || cpu - this.cpuAtFirstLook > this.allowedMs
  }

  /** What a frame left behind that the next one must not find, or too much of it. */
  private isSpoiled({ context, runtime }: Ready): boolean {
    const mark = context.getProp(context.global, 'spoiled')
    const spoiled = context.typeof(mark) !== 'undefined'
    mark.dispose()
    if (spoiled || runtime.hasPendingJob()) return true
    if (++this.runs % LOOK_EVERY !== 0) return false
    const usage = runtime.computeMemoryUsage()
    const used = context.getProp(usage, 'memory_used_size')
    const bytes = context.getNumber(used)
    used.dispose()
    usage.dispose()
    return bytes > KEPT_BYTES
  }
}

function outcomeOf(text: string): ScriptOutcome {
  if (text.length > LONGEST_RESULT)
    return { ok: false, reason: 'script_error', detail: 'the result is too large', line: null }
  const outcome = JSON.parse(text) as { error?: string; logs?: string[] }
  if (outcome.error === undefined) return { ok: true, ...outcome }
  const { logs } = outcome
  return { ok: false, reason: 'script_error', detail: short(outcome.error), line: null, ...(logs ? { logs } : {}) }
}

function failureOf(context: QuickJSContext, error: QuickJSHandle): ScriptFailure {
  const dumped: unknown = context.dump(error)
  error.dispose()
  if (typeof dumped !== 'object' || dumped === null)
    // Out of memory while the error was being made.
    return dumped === null
      ? { ok: false, reason: 'script_memory', detail: 'out of memory', line: null }
      : { ok: false, reason: 'script_error', detail: short(String(dumped)), line: null }
  const { name, message, stack } = dumped as { name?: unknown; message?: unknown; stack?: unknown }
  const line = Number(/script\.js:(\d+)/.exec(String(stack))?.[1]) || null
  const detail = short(String(message ?? 'failed'))
  if (name === 'InternalError' && detail === 'interrupted')
    return { ok: false, reason: 'script_timeout', detail: `longer than ${LIMITS.cpuMs} ms`, line }
  if (detail === 'out of memory' || detail === 'BigInt is too large to allocate')
    return { ok: false, reason: 'script_memory', detail: `more than ${LIMITS.memoryBytes / 2 ** 20} MB`, line }
  return { ok: false, reason: 'script_error', detail: `${String(name ?? 'Error')}: ${detail}`, line }
}

/** As it may be stored and shown. */
function short(text: string): string {
  return text.slice(0, 300).toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Processor time of this thread, ms; -1 where the system does not tell. */
function threadCpuMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6
  } catch {
    return -1
  }
}
