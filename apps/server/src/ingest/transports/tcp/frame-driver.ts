import type { LinkSettings } from '@thingwright/contracts/links.contract'
import type { Clock } from '../../../lib/clock.ts'
import { type CutKind, createFramer, type Framer } from '../../../lib/links/framer.ts'
import { bytesOf } from '../../../lib/links/written-bytes.ts'
import { afterSilence, type Silence } from '../../../lib/silence.ts'
import type { SessionInfo } from '../../../modules/devices/gateway.port.ts'
import type { ScriptRunner } from '../../codecs/script/script.codec.ts'
import type { DeliveryResult, DownlinkMessage, IngestPort, ReplyMatcher } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { framesOf } from '../links/json-line.ts'
import { withoutSecret } from '../links/registrar.ts'
import { ScriptFramer } from '../links/script-framer.ts'
import type { Driver, Line } from './driver.ts'

export interface FrameDriverOptions {
  device: DeviceRecord
  settings: LinkSettings
  info: SessionInfo
  port: Pick<IngestPort, 'accept' | 'frame' | 'note' | 'sessionReady'>
  line: Line
  clock: Clock
  /** Where framing scripts run. */
  scripts?: ScriptRunner
  /** The packet by which this connection registered. */
  registration?: Buffer
  /** How long the line is kept for an expected answer, ms. */
  answerMs?: number
}

const ANSWER_MS = 5_000

/** A device that sends frames of its own: the stream is cut, and every frame goes to the product's format. */
export class FrameDriver implements Driver {
  private readonly framer: Framer
  private readonly heartbeatReply: Buffer | null
  private gap: Silence | null = null
  /** The answer that the line is kept for. */
  private awaited: { matcher: ReplyMatcher; silence: Silence } | null = null

  constructor(private readonly options: FrameDriverOptions) {
    const { settings } = options
    this.framer = this.makeFramer()
    this.heartbeatReply = settings.heartbeat?.reply ? bytesOf(settings.heartbeat.reply) : null
  }

  push(chunk: Buffer): void {
    this.gap?.end()
    this.gap = null
    this.framer.push(chunk, this.onCut)
    const { idleGapMs } = this.options.settings
    if (idleGapMs !== null && this.framer.pending > 0)
      this.gap = afterSilence(idleGapMs, () => {
        this.gap = null
        this.framer.flush(this.onCut)
      })
  }

  /** One command at a time while an answer is expected: the next stays in its queue until the line is free. */
  deliver(message: DownlinkMessage): DeliveryResult {
    if (this.awaited) return 'not_reachable'
    const frames = framesOf(message)
    if (frames.length === 0) return 'not_reachable'
    for (const frame of frames) if (!this.options.line.write(frame)) return 'not_reachable'
    this.options.info.messagesOut++
    if (message.expects)
      this.awaited = {
        matcher: message.expects,
        silence: afterSilence(this.options.answerMs ?? ANSWER_MS, () => this.free()),
      }
    return 'sent'
  }

  close(): void {
    this.gap?.end()
    this.gap = null
    this.awaited?.silence.end()
    this.awaited = null
    // What came before the end was whole for its sender.
    this.framer.flush((kind, bytes) => {
      if (kind === 'frame') this.accept(bytes)
    })
    this.framer.close?.()
  }

  private makeFramer(): Framer {
    const { settings, scripts, line, device, port, registration } = this.options
    const { framing, heartbeat, maxFrameBytes } = settings
    if (framing.kind !== 'script') return createFramer(settings, registration)
    if (!scripts) return createFramer({ ...settings, framing: { kind: 'none' } }, registration)
    return new ScriptFramer({
      source: framing.source,
      owner: device.productKey,
      runner: scripts,
      heartbeat: heartbeat ? bytesOf(heartbeat.packet) : null,
      maxFrameBytes,
      onCut: (kind, bytes) => this.onCut(kind, bytes),
      onFailure: (detail, bytes) => {
        port.frame(device, 'up', bytes, { channel: 'tcp', note: 'frame_script' })
        this.note('frame_script', { detail, begins: bytes.subarray(0, 64).toString('hex') })
      },
      onFull: full => line.hold(full),
    })
  }

  private readonly onCut = (kind: CutKind, bytes: Buffer): void => {
    const { port, device, line, settings } = this.options
    switch (kind) {
      case 'frame':
        this.accept(bytes)
        break
      case 'heartbeat':
        port.frame(device, 'up', bytes, { channel: 'tcp', note: 'heartbeat' })
        if (this.heartbeatReply) line.write(this.heartbeatReply, 'heartbeat')
        break
      case 'registration':
        port.frame(device, 'up', withoutSecret(bytes), { channel: 'tcp', note: 'register' })
        break
      case 'too_long':
        port.frame(device, 'up', bytes, { channel: 'tcp', note: 'frame_too_long' })
        this.note('frame_too_long', { limit: settings.maxFrameBytes, begins: bytes.subarray(0, 64).toString('hex') })
        break
      case 'incomplete':
        port.frame(device, 'up', bytes, { channel: 'tcp', note: 'frame_incomplete' })
        this.note('frame_incomplete', { bytes: bytes.length, begins: bytes.subarray(0, 64).toString('hex') })
        break
      case 'broken':
        port.frame(device, 'up', bytes, { channel: 'tcp', note: 'frame_length' })
        this.note('frame_too_long', { limit: settings.maxFrameBytes, begins: bytes.toString('hex') })
        line.end('protocol_error')
    }
  }

  private accept(payload: Buffer): void {
    const { device, port, info, clock } = this.options
    info.messagesIn++
    port.frame(device, 'up', payload, { channel: 'tcp' })
    if (this.awaited?.matcher.matches(payload)) this.free()
    port.accept({ device, channel: { kind: 'raw' }, payload, arrivedAt: clock.now() }, nothing)
  }

  private free(): void {
    this.awaited?.silence.end()
    this.awaited = null
    this.options.port.sessionReady(this.options.device)
  }

  private note(event: string, detail: Record<string, unknown>): void {
    const { device, port, info } = this.options
    port.note(device.productKey, device.deviceNo, event, { ...detail, address: info.address, transport: 'tcp' })
  }
}

function nothing(): void {}
