import { inBackground } from '../../lib/background.ts'
import type { Clock } from '../../lib/clock.ts'
import { isUuid } from '../../lib/ids.ts'
import type { Logger } from '../../lib/log.ts'
import type { FirmwareDownload, FirmwareJobName } from '../../modules/ota/firmware.port.ts'
import { BatchLoader } from '../memory/batch-loader.ts'
import { Lru } from '../memory/lru.ts'
import type { DeviceRecord } from '../uplink.ts'
import { BlockCache } from './block-cache.ts'
import { ByteBucket } from './byte-bucket.ts'
import { type ChunkRequest, MAX_REQUEST, readChunkRequest } from './chunk-request.ts'

/** Hands bytes to a device under a topic below its prefix. `full`: later; `away`: it is gone, or does not listen. */
export type Say = (suffix: string, payload: Buffer) => 'sent' | 'full' | 'away'

export interface ChunkServerOptions {
  downloads(jobs: readonly FirmwareJobName[]): Promise<(FirmwareDownload | null)[]>
  bytes(key: string, start: number, end: number): Promise<Uint8Array | null>
  /** Time that never jumps. */
  monotonic: Clock
  logger: Logger
  cacheBytes?: number
}

export type ChunkRefusal = 'request_invalid' | 'job_unknown' | 'offset_beyond' | 'too_many' | 'unavailable'

interface Piece {
  offset: number
  length: number
}

/** What one device waits for. */
interface Line {
  readonly device: number
  download: FirmwareDownload
  say: Say
  /** Pieces, the next one first. */
  pieces: Piece[]
  bucket: ByteBucket | null
  /** Bytes are being read for it. */
  reading: boolean
}

/** Bytes that one device may have asked for and not got. */
const MAX_WAITING = 4 * MAX_REQUEST
/** How long a job is believed to be under way, ms: one that was cancelled gets no more after that. */
const BELIEVED_MS = 10_000
const TICK_MS = 20
/** A line's bucket stays this long without a piece, so that asking anew does not fill it, ms. */
const LINE_MS = 60_000

/**
 * Answers `ota/request`: sends a device the bytes of the package that it is to install, as fast as its campaign allows.
 * Nothing is kept of it but which pieces a device waits for: whoever lost some asks for them again.
 */
export class ChunkServer {
  private readonly lines = new Map<number, Line>()
  /** Lines with pieces that could not leave yet, in the order in which their turn comes. */
  private waiting = new Set<Line>()
  private readonly idleSince = new Map<Line, number>()
  private readonly campaigns = new Lru<string, ByteBucket>(10_000)
  private readonly known = new Lru<string, { download: FirmwareDownload | null; until: number }>(100_000)
  private readonly loader: BatchLoader<string, FirmwareDownload>
  private readonly cache: BlockCache
  private ticker: NodeJS.Timeout | null = null
  private readonly counts = { chunks: 0, bytes: 0, refused: 0 }

  constructor(private readonly options: ChunkServerOptions) {
    this.cache = new BlockCache({
      load: options.bytes,
      ...(options.cacheBytes === undefined ? {} : { maxBytes: options.cacheBytes }),
    })
    this.loader = new BatchLoader({
      windowMs: 5,
      maxKeys: 500,
      maxParallel: 2,
      load: async names => {
        const jobs = names.map(splitName)
        const found = await options.downloads(jobs)
        return new Map(
          names.flatMap((name, i): [string, FirmwareDownload][] => {
            const download = found[i]
            return download ? [[name, download]] : []
          }),
        )
      },
    })
  }

  /** A device asks for bytes. Never throws; what it may not have is answered with the reason. */
  request(device: DeviceRecord, payload: Buffer, say: Say): void {
    const asked = readChunkRequest(payload)
    if (!asked.id || !isUuid(asked.id)) {
      // Nowhere to answer to.
      this.counts.refused++
      return
    }
    const refuse = (code: ChunkRefusal) => this.refuse(say, asked as { id: string; offset: number }, code)
    if (!asked.ok) {
      refuse('request_invalid')
      return
    }
    const now = this.options.monotonic.now()
    const name = `${device.num}/${asked.id}`
    const known = this.known.get(name)
    if (known && known.until > now) {
      if (known.download) this.take(device.num, known.download, asked, say)
      else refuse('job_unknown')
      return
    }
    inBackground(
      'finding firmware that a device asks for',
      this.loader.get(name).then(
        download => {
          this.known.set(name, { download: download ?? null, until: this.options.monotonic.now() + BELIEVED_MS })
          if (download) this.take(device.num, download, asked, say)
          else refuse('job_unknown')
        },
        (error: Error) => {
          this.options.logger.warn({ err: error }, 'updates under way not readable')
          refuse('unavailable')
        },
      ),
    )
  }

  /** The job changed: what was known of it is asked again. */
  forget(device: number, id: string): void {
    this.known.delete(`${device}/${id}`)
  }

  stop(): void {
    if (this.ticker) clearInterval(this.ticker)
    this.ticker = null
    this.waiting.clear()
    this.lines.clear()
  }

  metrics(): Record<string, number> {
    return {
      firmware_chunks: this.counts.chunks,
      firmware_bytes: this.counts.bytes,
      firmware_requests_refused: this.counts.refused,
      firmware_blocks_state: this.cache.size,
      firmware_waiting_state: this.waiting.size,
    }
  }

  private take(device: number, download: FirmwareDownload, asked: ChunkRequest & { ok: true }, say: Say): void {
    const { offset, length, count } = asked
    if (offset >= download.size) {
      this.refuse(say, asked, 'offset_beyond')
      return
    }
    const line = this.lineOf(device, download, say)
    // A device asks again for what it thinks lost: the place it asks for now is where it is.
    let held = 0
    for (const piece of line.pieces) held += piece.length
    if (held + length * count > MAX_WAITING) {
      this.refuse(say, asked, 'too_many')
      return
    }
    for (let i = 0; i < count; i++) {
      const at = offset + i * length
      if (at >= download.size) break
      if (!line.pieces.some(piece => piece.offset === at && piece.length === length))
        line.pieces.push({ offset: at, length: Math.min(length, download.size - at) })
    }
    this.serve(line)
  }

  private lineOf(device: number, download: FirmwareDownload, say: Say): Line {
    const known = this.lines.get(device)
    if (known && known.download.id === download.id) {
      known.download = download
      known.say = say
      this.idleSince.delete(known)
      if (known.bucket && download.perDevice !== null) known.bucket.rate = download.perDevice
      return known
    }
    // One update of a module at a time; of two modules the newer question counts.
    const { perDevice } = download
    const line: Line = {
      device,
      download,
      say,
      pieces: [],
      bucket: perDevice === null ? null : new ByteBucket(perDevice, this.options.monotonic.now()),
      reading: false,
    }
    if (known) {
      this.waiting.delete(known)
      this.idleSince.delete(known)
      known.pieces = []
    }
    this.lines.set(device, line)
    return line
  }

  /** Sends what the line may have now; what is left waits for the next tick. */
  private serve(line: Line): void {
    while (line.pieces.length > 0 && !line.reading) {
      const now = this.options.monotonic.now()
      const campaign = this.campaignOf(line.download, now)
      if (line.bucket?.isOpen(now) === false || campaign?.isOpen(now) === false) {
        this.wait(line)
        return
      }
      const { offset, length } = line.pieces[0]!
      const read = this.cache.read(line.download.key, offset, length, line.download.size)
      if (read instanceof Promise) {
        this.readFor(line, read)
        return
      }
      const said = line.say(`ota/data/${line.download.id}/${offset}`, read)
      if (said === 'full') {
        this.wait(line)
        return
      }
      if (said === 'away') {
        line.pieces = []
        break
      }
      line.pieces.shift()
      line.bucket?.take(length, now)
      campaign?.take(length, now)
      this.counts.chunks++
      this.counts.bytes += length
    }
    if (line.pieces.length > 0) return
    this.waiting.delete(line)
    this.idleSince.set(line, this.options.monotonic.now())
    this.startTicker()
  }

  /** The bytes come from the store; then the line goes on. */
  private readFor(line: Line, read: Promise<Buffer | null>): void {
    line.reading = true
    const failed = (error?: Error): void => {
      if (error) this.options.logger.warn({ err: error, key: line.download.key }, 'firmware not readable')
      else this.options.logger.error({ key: line.download.key }, 'the bytes of a firmware package are missing')
      const [piece] = line.pieces
      line.pieces = []
      if (piece) this.refuse(line.say, { id: line.download.id, offset: piece.offset }, 'unavailable')
    }
    inBackground(
      'reading a piece of firmware',
      read
        .then(
          bytes => {
            if (!bytes) failed()
          },
          (error: Error) => failed(error),
        )
        .finally(() => {
          line.reading = false
          if (this.lines.get(line.device) === line) this.serve(line)
        }),
    )
  }

  private campaignOf(download: FirmwareDownload, now: number): ByteBucket | null {
    const { campaignId, perCampaign } = download
    if (perCampaign === null) return null
    const known = this.campaigns.get(campaignId)
    if (known) {
      known.rate = perCampaign
      return known
    }
    const made = new ByteBucket(perCampaign, now)
    this.campaigns.set(campaignId, made)
    return made
  }

  private wait(line: Line): void {
    this.waiting.add(line)
    this.startTicker()
  }

  private startTicker(): void {
    if (this.ticker) return
    this.ticker = setInterval(() => this.tick(), TICK_MS)
    this.ticker.unref()
  }

  private tick(): void {
    const turn = [...this.waiting]
    // A device that was served goes to the end of the line, so that all devices share a campaign's rate.
    for (const line of turn) {
      const left = line.pieces.length
      this.serve(line)
      if (line.pieces.length > 0 && line.pieces.length < left) {
        this.waiting.delete(line)
        this.waiting.add(line)
      }
    }
    const before = this.options.monotonic.now() - LINE_MS
    for (const [line, since] of this.idleSince) {
      if (since > before) break
      this.idleSince.delete(line)
      if (this.lines.get(line.device) === line) this.lines.delete(line.device)
    }
    if (this.waiting.size > 0 || this.idleSince.size > 0 || !this.ticker) return
    clearInterval(this.ticker)
    this.ticker = null
  }

  private refuse(say: Say, { id, offset }: { id: string; offset: number }, code: ChunkRefusal): void {
    this.counts.refused++
    say(`ota/data/${id}/refused`, Buffer.from(JSON.stringify({ id, offset, code })))
  }
}

function splitName(name: string): FirmwareJobName {
  const slash = name.indexOf('/')
  return { device: Number(name.slice(0, slash)), id: name.slice(slash + 1) }
}
