import type { KeyObject } from 'node:crypto'
import { reconnectDelay } from '../backoff.ts'
import { givenUp } from './boot.ts'
import type { FirmwareLink, FirmwareProgress } from './link.ts'
import { type FirmwareNotify, readNotify } from './notify.ts'
import {
  ChunkSource,
  type FirmwareSource,
  HttpSource,
  type HttpSourceOptions,
  SourceCutError,
  SourceGoneError,
} from './source.ts'
import {
  type FirmwareState,
  type FirmwareStore,
  firstState,
  otherSlot,
  type PendingUpdate,
  type Slot,
} from './store.ts'
import { publicKeyOf, verifyNotify, verifySlot } from './verify.ts'
import { compareVersions } from './version.ts'

export interface UpdaterOptions {
  store: FirmwareStore
  /** The version that runs now, and whether it is on trial: what `chooseSlot` said at this start. */
  version: string
  trial?: boolean
  /** `default` when the device has one firmware only. */
  module?: string
  /** Ed25519 public keys (base64 of 32 bytes, or PEM). With any, unsigned packages are refused. */
  publicKeys?: readonly string[]
  /** `auto` (default): HTTPS where the notice has an address, chunks else and when the address does not answer. */
  transport?: 'auto' | 'https' | 'chunks'
  /** What the addresses of notices begin with where they are no whole ones. */
  baseUrl?: string
  http?: HttpSourceOptions
  /** How long a chunk is waited for, ms; 10 s. */
  chunkTimeoutMs?: number
  /**
   * Looks into the new image before it is started: the version that stands in its own, signed bytes. An old image under
   * a new name is found out here. Absent: the notice is believed.
   */
  versionOf?(slot: Slot): Promise<string | null>
  /** True: older versions are installed too when a person rolls back; false (default): never. */
  allowDowngrade?: boolean
  /** Whether the device may update now (battery, work under way); a text is the reason why not. */
  mayInstall?(notify: FirmwareNotify): string | null | Promise<string | null>
  /** Run by a new firmware on trial: whether everything it needs works. */
  selfTest?(): boolean | Promise<boolean>
  /** Restarts the device; the next start asks `chooseSlot`. */
  restart(): void | Promise<void>
  /** Starts from a new slot without its word before it is given up; 3. */
  trialBoots?: number
  /** Told of everything that happens. */
  onState?(state: string, detail?: string): void
  random?: () => number
  /** Pause before a cut download goes on; for tests. */
  delay?(attempt: number): Promise<void>
}

/** Bytes after which the place reached is written down. */
const MARK = 64 * 1024
const TRIAL_BOOTS = 3
/** Attempts without a byte after which a new address is asked for. */
const ASK_AGAIN = 5

/**
 * Keeps a device's firmware up to date without ever running a bad one: downloads into the slot that does not run, goes on
 * after every cut and every loss of power, checks size, hash, signature and version, starts the new slot on trial, and
 * falls back to the old one when it does not say that it is well.
 */
export class FirmwareUpdater {
  readonly #link: FirmwareLink
  readonly #options: UpdaterOptions
  readonly #keys: KeyObject[]
  readonly #module: string
  readonly #chunks: ChunkSource | null
  readonly #http: HttpSource
  #running: { id: string; abort: AbortController; done: Promise<void> } | null = null
  /** What is to be done next; the newest notice wins. */
  #next: FirmwareNotify | null = null
  #stopped = false
  #changes: Promise<void> = Promise.resolve()

  constructor(link: FirmwareLink, options: UpdaterOptions) {
    this.#link = link
    this.#options = options
    this.#module = options.module ?? 'default'
    this.#keys = (options.publicKeys ?? []).map(publicKeyOf)
    this.#http = new HttpSource(options.http)
    const { request } = link
    const { chunkTimeoutMs } = options
    this.#chunks = request && new ChunkSource({ request, ...(chunkTimeoutMs ? { timeoutMs: chunkTimeoutMs } : {}) })
    link.onChunk(chunk => this.#chunks?.receive(chunk))
    link.onNotify(payload => this.#told(readNotify(payload)))
  }

  /**
   * Says which version runs, judges a trial, and goes on with what a loss of power interrupted. Call it once at each
   * start, when the device is connected or soon will be.
   */
  async start(): Promise<void> {
    const state = await this.#state()
    if (this.#options.trial && state.update?.phase === 'trial' && !(await this.#judge(state))) return
    const { update, failed } = await this.#state()
    await this.#link.inform(this.#module, this.#options.version)
    if (failed) {
      await this.#say({ id: failed.id, state: 'failed', message: failed.reason })
      await this.#change(now => ({ ...now, failed: null }))
    }
    if (update && update.phase !== 'trial') this.#told(update.notify)
  }

  /** Asks whether there is something to install; true: it is being installed. */
  async pull(): Promise<boolean> {
    const answer = await this.#link.pull(this.#module)
    const notify = answer && readNotify(answer)
    this.#told(notify)
    return notify !== null
  }

  /** The id of the update under way. */
  get busy(): string | null {
    return this.#running?.id ?? null
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running.done
  }

  /** Leaves everything as it is; the next start goes on. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#running?.abort.abort(new Error('stopped'))
    await this.idle()
  }

  #told(notify: FirmwareNotify | null): void {
    if (!notify || notify.module !== this.#module || this.#stopped) return
    this.#next = notify
    const running = this.#running
    if (running) {
      // The same update again: with a fresh address, if nothing else. Another one takes its place.
      running.abort.abort(new Superseded())
      return
    }
    this.#begin()
  }

  #begin(): void {
    const notify = this.#next
    if (!notify || this.#stopped) return
    this.#next = null
    const abort = new AbortController()
    const done = this.#update(notify, abort.signal)
      .catch(error => {
        if (!(error instanceof Superseded) && !this.#stopped) this.#tell('error', (error as Error).message)
      })
      .finally(() => {
        this.#running = null
        this.#begin()
      })
    this.#running = { id: notify.id, abort, done }
  }

  async #update(notify: FirmwareNotify, signal: AbortSignal): Promise<void> {
    const refused = await this.#objection(notify)
    if (refused === 'already') {
      await this.#forget()
      await this.#link.inform(this.#module, this.#options.version)
      return
    }
    if (refused) return this.#refuse(notify, refused)
    const update = await this.#prepare(notify)
    if (update.phase === 'downloading') {
      await this.#say({ id: notify.id, state: 'downloading', percent: percentOf(update.written, notify.size) })
      const fresh = await this.#download(update, signal)
      if (!fresh) return
    }
    await this.#install(update, signal)
  }

  /** Why this is not installed; `already`: it runs. */
  async #objection(notify: FirmwareNotify): Promise<string | null> {
    const { version } = this.#options
    if (notify.kind === 'delta') return 'delta_not_supported'
    if (notify.version === version) return 'already'
    const signature = verifyNotify(this.#link.productKey, notify, this.#keys)
    if (signature !== 'ok') return signature
    const older = compareVersions(notify.version, version) < 0
    if (older && !(notify.downgrade && this.#options.allowDowngrade)) return 'downgrade'
    return (await this.#options.mayInstall?.(notify)) ?? null
  }

  /** Room for it in the other slot; what is there of the same bytes is kept. */
  async #prepare(notify: FirmwareNotify): Promise<PendingUpdate> {
    const state = await this.#state()
    const slot = otherSlot(state.active)
    const { update: known } = state
    const same = known?.notify.sha256 === notify.sha256 && known.notify.size === notify.size && known.slot === slot
    if (known && same && known.phase !== 'trial') {
      const update = { ...known, notify }
      await this.#change(now => ({ ...now, update }))
      return update
    }
    const update: PendingUpdate = { notify, slot, phase: 'downloading', written: 0, bootsLeft: 0 }
    // First the word that the slot holds nothing good, then its end.
    await this.#change(now => ({ ...now, versions: { ...now.versions, [slot]: null }, update }))
    await this.#options.store.erase(slot)
    return update
  }

  /** @returns false when there is nothing to be had any more */
  async #download(update: PendingUpdate, signal: AbortSignal): Promise<boolean> {
    const { notify } = update
    let attempt = 0
    for (;;) {
      const before = update.written
      try {
        await this.#fetch(update, attempt, signal)
        return true
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (error instanceof SourceGoneError) {
          this.#tell('gone', error.message)
          if (await this.#askAgain(notify)) return false
        } else if (error instanceof SourceCutError) {
          this.#tell('cut', `${update.written} of ${notify.size}: ${error.message}`)
          // The address does not answer: the platform may have given another one by now.
          if (attempt % ASK_AGAIN === ASK_AGAIN - 1 && (await this.#askAgain(notify)) && this.#next) return false
        } else throw error
      }
      // Progress makes the pauses short again.
      attempt = update.written > before ? 0 : attempt + 1
      await this.#pause(attempt, signal)
    }
  }

  async #fetch(update: PendingUpdate, attempt: number, signal: AbortSignal): Promise<void> {
    const { store } = this.#options
    const { notify, slot } = update
    let marked = update.written
    let told = percentOf(update.written, notify.size)
    let rest: Buffer[] = []
    let held = 0
    const flush = async (): Promise<void> => {
      if (held === 0) return
      const bytes = rest.length === 1 ? rest[0]! : Buffer.concat(rest)
      rest = []
      held = 0
      await store.write(slot, update.written, bytes)
      update.written += bytes.length
      marked = update.written
      await this.#change(now => (now.update ? { ...now, update: { ...now.update, written: marked } } : now))
      const percent = percentOf(update.written, notify.size)
      if (percent >= told + 10 && percent < 100) {
        told = percent
        // Only news of how far it is.
        this.#say({ id: notify.id, state: 'downloading', percent }).catch(() => {})
      }
    }
    const sink = async (offset: number, bytes: Uint8Array): Promise<void> => {
      if (offset !== update.written + held) {
        // The bytes begin anew.
        rest = []
        held = 0
        update.written = 0
        await store.erase(slot)
        if (offset !== 0) throw new SourceGoneError('bytes of another place')
      }
      rest.push(Buffer.from(bytes))
      held += bytes.length
      if (held >= MARK) await flush()
    }
    try {
      if (update.written < notify.size) await this.#source(notify, attempt).fetch(notify, update.written, sink, signal)
    } finally {
      // Also what came before a cut is kept.
      if (!signal.aborted || this.#next) await flush()
    }
  }

  #source(notify: FirmwareNotify, attempt: number): FirmwareSource {
    const { transport = 'auto', baseUrl } = this.#options
    const url = notify.url && /^https?:/.test(notify.url) ? notify.url : notify.url && baseUrl && baseUrl + notify.url
    const http = url && transport !== 'chunks' ? boundTo(this.#http, url) : null
    const chunks = transport === 'https' ? null : this.#chunks
    // An address that does not answer twice may be out of the device's reach; its own connection is not.
    const source = http && chunks && attempt % 4 >= 2 ? chunks : (http ?? chunks)
    if (!source) throw new SourceGoneError('no way to the package')
    return source
  }

  async #install(update: PendingUpdate, signal: AbortSignal): Promise<void> {
    const { store, versionOf, trialBoots = TRIAL_BOOTS } = this.#options
    const { notify, slot } = update
    await this.#say({ id: notify.id, state: 'downloaded', percent: 100 })
    if (!(await verifySlot(store, slot, notify))) return this.#giveUp(notify, 'hash_mismatch')
    if (versionOf && (await versionOf(slot).catch(() => null)) !== notify.version)
      return this.#giveUp(notify, 'version_mismatch')
    if (signal.aborted) throw signal.reason
    await this.#change(now => (now.update ? { ...now, update: { ...now.update, phase: 'verified' } } : now))
    await this.#say({ id: notify.id, state: 'verified' })
    await this.#say({ id: notify.id, state: 'installing' })
    if (signal.aborted) throw signal.reason
    // From here on the next start is from the new slot; one write makes it so.
    await this.#change(now => ({
      ...now,
      versions: { ...now.versions, [slot]: notify.version },
      update: { ...update, phase: 'trial', bootsLeft: trialBoots },
    }))
    this.#tell('restart')
    this.#stopped = true
    await this.#options.restart()
  }

  /** A firmware on trial says whether it is well. @returns false when the device restarts */
  async #judge(state: FirmwareState): Promise<boolean> {
    const { update } = state
    if (!update) return true
    const well = await Promise.resolve(this.#options.selfTest?.() ?? true).catch(() => false)
    if (well) {
      await this.#change(now => ({ ...now, active: update.slot, update: null, failed: null }))
      this.#tell('confirmed', update.notify.version)
      return true
    }
    await this.#change(now => givenUp(now, 'self_test_failed'))
    this.#tell('restart', 'self_test_failed')
    this.#stopped = true
    await this.#options.restart()
    return false
  }

  /**
   * The notice is worth nothing any more: is there a newer one? Without one what was downloaded stays until something
   * else needs the room.
   * @returns false when nobody answered
   */
  async #askAgain(notify: FirmwareNotify): Promise<boolean> {
    try {
      const answer = await this.#link.pull(this.#module)
      const fresh = answer && readNotify(answer)
      if (fresh && (fresh.id !== notify.id || fresh.url !== notify.url)) this.#next ??= fresh
      return true
    } catch {
      return false
    }
  }

  async #refuse(notify: FirmwareNotify, reason: string): Promise<void> {
    this.#tell('rejected', reason)
    await this.#say({ id: notify.id, state: 'rejected', message: reason })
  }

  /** What was downloaded is not what was announced: nothing of it is kept. */
  async #giveUp(notify: FirmwareNotify, reason: string): Promise<void> {
    await this.#change(now => ({ ...givenUp(now, reason), failed: { id: notify.id, reason } }))
    this.#tell('failed', reason)
    await this.#say({ id: notify.id, state: 'failed', message: reason })
    await this.#change(now => ({ ...now, failed: null }))
  }

  async #forget(): Promise<void> {
    const { update } = await this.#state()
    if (update && update.phase !== 'trial') await this.#change(now => ({ ...now, update: null }))
  }

  async #state(): Promise<FirmwareState> {
    return (await this.#options.store.readState()) ?? firstState(this.#options.version)
  }

  /** One change after the other, so that none is lost. */
  #change(change: (now: FirmwareState) => FirmwareState): Promise<void> {
    const made = this.#changes.then(async () => this.#options.store.writeState(change(await this.#state())))
    this.#changes = made.catch(() => undefined)
    return made
  }

  /** Words about an update are told in order and never stop it. */
  async #say(report: FirmwareProgress): Promise<void> {
    this.#tell(report.state, report.message)
    await this.#link.progress(report).catch(() => undefined)
  }

  #tell(state: string, detail?: string): void {
    this.#options.onState?.(state, detail)
  }

  #pause(attempt: number, signal: AbortSignal): Promise<void> {
    const { delay, random = Math.random } = this.#options
    if (delay) return delay(attempt)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, reconnectDelay(attempt, false, random))
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    })
  }
}

/** A newer notice took the place of the one under way. */
class Superseded extends Error {
  override readonly name = 'Superseded'
}

function percentOf(written: number, size: number): number {
  return Math.floor((written / size) * 100)
}

function boundTo(http: HttpSource, url: string): FirmwareSource {
  return {
    fetch: (notify, offset, sink, signal) => http.fetch({ ...notify, url }, offset, sink, signal),
  }
}
