import { type IncomingMessage, request as plain } from 'node:http'
import { request as secure } from 'node:https'
import type { ChunkAsk, ReceivedChunk } from './link.ts'
import type { FirmwareNotify } from './notify.ts'

/** The package is not to be had under this notice any more: a new one must be asked for. */
export class SourceGoneError extends Error {
  override readonly name = 'SourceGoneError'
}

/** The way broke: what came counts, and the rest is fetched from there. */
export class SourceCutError extends Error {
  override readonly name = 'SourceCutError'
}

/** Takes bytes in order. */
export type Sink = (offset: number, bytes: Uint8Array) => Promise<void>

/** A way to the bytes of a package. */
export interface FirmwareSource {
  /**
   * Fetches from `offset` to the end. Resolves when all were taken.
   * The sink is given a smaller offset than asked for when the bytes begin anew.
   * @throws SourceCutError, SourceGoneError
   */
  fetch(notify: FirmwareNotify, offset: number, sink: Sink, signal: AbortSignal): Promise<void>
}

export interface HttpSourceOptions {
  tls?: { ca?: string | Buffer; rejectUnauthorized?: boolean }
  /** Silence after which a connection counts as broken, ms; 30 s. */
  idleMs?: number
}

const IDLE_MS = 30_000

/** HTTPS with ranges (RFC 9110 §14): goes on where it was cut, and only in the same bytes (`If-Range`). */
export class HttpSource implements FirmwareSource {
  readonly #options: HttpSourceOptions

  constructor(options: HttpSourceOptions = {}) {
    this.#options = options
  }

  async fetch(notify: FirmwareNotify, offset: number, sink: Sink, signal: AbortSignal): Promise<void> {
    const reply = await this.#ask(notify.url ?? '', offset, signal)
    const { statusCode: status = 0 } = reply
    // 200 to a question for a part: the server begins anew, and so do we.
    let at = status === 206 ? startOf(reply.headers['content-range']) : 0
    if ((status !== 200 && status !== 206) || (status === 206 && at !== offset)) {
      reply.destroy()
      if (status >= 500 || status === 429) throw new SourceCutError(`HTTP ${status}`)
      throw new SourceGoneError(`HTTP ${status}`)
    }
    let own: unknown = null
    try {
      for await (const bytes of reply as AsyncIterable<Buffer>) {
        if (at + bytes.length > notify.size) throw new SourceGoneError('more bytes than announced')
        await sink(at, bytes).catch(error => {
          own = error
          throw error
        })
        at += bytes.length
      }
    } catch (error) {
      // What the device's own memory says is no broken connection.
      if (signal.aborted || error === own || error instanceof SourceGoneError) throw error
      throw new SourceCutError((error as Error).message)
    }
    if (at < notify.size) throw new SourceCutError('ended too early')
  }

  #ask(url: string, offset: number, signal: AbortSignal): Promise<IncomingMessage> {
    const { tls, idleMs = IDLE_MS } = this.#options
    const headers = offset > 0 ? { range: `bytes=${offset}-` } : {}
    return new Promise((resolve, reject) => {
      const call = url.startsWith('https:')
        ? secure(url, { headers, signal, ...tls }, resolve)
        : plain(url, { headers, signal }, resolve)
      call.setTimeout(idleMs, () => call.destroy(new SourceCutError('silence')))
      call.on('error', error => reject(signal.aborted ? error : new SourceCutError(error.message)))
      call.end()
    })
  }
}

function startOf(range: string | undefined): number {
  return Number(/^bytes (\d+)-/.exec(range ?? '')?.[1] ?? -1)
}

export interface ChunkSourceOptions {
  request(ask: ChunkAsk): void
  /** Bytes of a chunk where the notice proposes none; 4,096. */
  bytes?: number
  /** How long a chunk is waited for, ms; 10 s. It is longer than the pause of a slow campaign's rate. */
  timeoutMs?: number
}

const CHUNK = 4_096
/** Most bytes and chunks of one question. */
const WINDOW = 65_536
const MAX_COUNT = 16
const REFUSED_FOR_GOOD = ['job_unknown', 'offset_beyond', 'request_invalid']

/** Chunks over the device's own connection; what is lost is asked for again. */
export class ChunkSource implements FirmwareSource {
  readonly #options: ChunkSourceOptions
  #taken: ((chunk: ReceivedChunk) => void) | null = null

  constructor(options: ChunkSourceOptions) {
    this.#options = options
  }

  /** A chunk came; one nobody waits for is dropped. */
  receive(chunk: ReceivedChunk): void {
    this.#taken?.(chunk)
  }

  async fetch(notify: FirmwareNotify, offset: number, sink: Sink, signal: AbortSignal): Promise<void> {
    const length = Math.min(notify.chunkBytes ?? this.#options.bytes ?? CHUNK, WINDOW)
    for (let at = offset; at < notify.size; ) {
      const most = Math.min(MAX_COUNT, Math.max(1, Math.floor(WINDOW / length)))
      const count = Math.min(most, Math.ceil((notify.size - at) / length))
      const came = await this.#round({ id: notify.id, offset: at, length, count }, notify.size, signal)
      for (const bytes of came) {
        await sink(at, bytes)
        at += bytes.length
      }
      if (came.length === 0) throw new SourceCutError('no chunk came')
    }
  }

  /** Asks once and gives what came without a gap from the offset asked for. */
  #round(ask: ChunkAsk, size: number, signal: AbortSignal): Promise<Uint8Array[]> {
    const pieces = new Map<number, Uint8Array>()
    return new Promise((resolve, reject) => {
      const done = (error?: Error): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', aborted)
        this.#taken = null
        if (error) reject(error)
        else resolve(inOrder(pieces, ask))
      }
      const late = () => done()
      const aborted = () => done(signal.reason as Error)
      let timer = setTimeout(late, this.#options.timeoutMs ?? 10_000)
      if (signal.aborted) return aborted()
      signal.addEventListener('abort', aborted)
      this.#taken = chunk => {
        const index = (chunk.offset - ask.offset) / ask.length
        if (chunk.id !== ask.id || !Number.isInteger(index) || index < 0 || index >= ask.count) return
        if (chunk.bytes === null) {
          const gone = REFUSED_FOR_GOOD.includes(chunk.code)
          return done(gone ? new SourceGoneError(chunk.code) : new SourceCutError(chunk.code))
        }
        if (chunk.bytes.length !== Math.min(ask.length, size - chunk.offset)) return
        pieces.set(index, chunk.bytes)
        if (pieces.size === ask.count) return done()
        clearTimeout(timer)
        timer = setTimeout(late, this.#options.timeoutMs ?? 10_000)
      }
      this.#options.request(ask)
    })
  }
}

function inOrder(pieces: Map<number, Uint8Array>, { count }: ChunkAsk): Uint8Array[] {
  const found: Uint8Array[] = []
  for (let i = 0; i < count; i++) {
    const piece = pieces.get(i)
    if (!piece) break
    found.push(piece)
  }
  return found
}
