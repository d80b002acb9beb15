import { alongLine, type CompiledModel, reversed } from '@thingwright/thing-model'
import { newId } from '../../lib/ids.ts'
import type { LoraOutcome, SessionInfo, TransportName } from '../../modules/devices/gateway.port.ts'
import type {
  DevicePathState,
  PollingState,
  Probe,
  Probes,
  SendOutcome,
  SimulatedAct,
  SimulatedOutcome,
} from '../../modules/diagnosis/diagnosis.port.ts'
import type { PlatformOutcome } from '../../modules/telecom/platform-link.port.ts'
import { modelFor } from '../directory/device-models.ts'
import type { Directory } from '../directory/directory.ts'
import { type Lanes, laneOf } from '../lanes.port.ts'
import type { DownlinkMessage, Transport } from '../transport.port.ts'
import type { LoraTransport } from '../transports/lora/lora.transport.ts'
import type { PlatformTransport } from '../transports/platform/platform.transport.ts'
import type { SimulatorTransport } from '../transports/simulator/simulator.transport.ts'
import type { DeviceRecord } from '../uplink.ts'
import type { Frames } from './frames.ts'
import type { Refusals } from './refusals.ts'
import { unheardTopics } from './unheard.ts'

export interface ProbesOptions {
  frames: Pick<Frames, 'of' | 'ready'>
  refusals: Pick<Refusals, 'of'>
  directory: Pick<Directory, 'find' | 'product' | 'peek' | 'refresh'>
  lanes: Pick<Lanes, 'hasRoom'>
  queued(): number
  simulator: Pick<SimulatorTransport, 'act'>
  platform: Pick<PlatformTransport, 'act'>
  /** Absent: no such devices here. */
  lora?: Pick<LoraTransport, 'act'> | undefined
  session(device: number): SessionInfo | null
  /** The device as its session knows it. */
  reachable(device: number): DeviceRecord | null
  /** How a device is polled over its own connection or its gateway's. */
  polling(device: number, gateway: number | null): PollingState | null
  deliver: Transport['deliver']
  freeDiskRatio?(): Promise<number>
  certificateUntil?: (() => number) | undefined
}

/** Links that carry bytes as they are; a device that speaks topics takes them as `raw/down` when it subscribed to it. */
const BYTES: ReadonlySet<TransportName> = new Set(['tcp', 'udp', 'websocket', 'mqtt', 'mqtts', 'mqtt-ws', 'simulator'])
const MQTT: ReadonlySet<TransportName> = new Set(['mqtt', 'mqtts', 'mqtt-ws'])

/** Answers what people who look for a fault ask of the gateway. */
export function createProbes(options: ProbesOptions): (probe: Probe) => Promise<Probes[keyof Probes]['answer']> {
  async function state(device: number, productKey: string): Promise<DevicePathState> {
    const frames = options.frames.of(device)
    const record = await recordOf(device)
    const last = (direction: 'up' | 'down') => frames.findLast(frame => frame.direction === direction)?.at ?? null
    return {
      session: options.session(device),
      laneTakes: options.lanes.hasRoom(laneOf(device)),
      laneQueued: options.queued(),
      diskFree: (await options.freeDiskRatio?.().catch(() => null)) ?? null,
      certificateUntil: options.certificateUntil?.() ?? null,
      lastUpAt: last('up'),
      lastDownAt: last('down'),
      frames: frames.length,
      unheard: record ? unheard(record) : [],
      polling: options.polling(device, record?.gateway ?? null),
      refusals: options.refusals.of(productKey),
    }
  }

  async function recordOf(device: number): Promise<DeviceRecord | null> {
    const { directory } = options
    // Without the database the other facts are told all the same.
    const known = directory.peek(device) ?? (await directory.refresh([device]).catch(() => null))?.get(device)
    return known?.record ?? null
  }

  /** Commands of a device below a gateway are said in the gateway's session. */
  function unheard(device: DeviceRecord): string[] {
    const speaker = options.reachable(device.gateway ?? device.num)
    const session = speaker && options.session(speaker.num)
    if (!session) return []
    const { directory } = options
    const product = directory.product(device.productNum)
    const own = { model: modelFor(product, device), codec: product.codec }
    return unheardTopics(device, { device: speaker, session, product: directory.product(speaker.productNum) }, own)
  }

  function send(num: number, bytes: Buffer): SendOutcome {
    const session = options.session(num)
    const device = options.reachable(num)
    if (!session || !device) return 'offline'
    if (!BYTES.has(session.transport)) return 'unsupported'
    const message: DownlinkMessage = {
      // No row has this id: whatever is said about it later finds nothing.
      commandId: newId(),
      suffix: 'raw/down',
      payload: bytes,
      command: { kind: 'raw', identifier: null, params: {} },
      frames: [bytes],
    }
    const result = options.deliver(device, message, () => undefined)
    if (result !== 'not_reachable') return 'sent'
    return MQTT.has(session.transport) ? 'not_subscribed' : 'unsupported'
  }

  async function simulate({ productKey, deviceNo, act }: Probes['simulate']['ask']): Promise<SimulatedOutcome> {
    const entry = await options.directory.find(productKey, deviceNo)
    if (!entry) return { outcome: 'unavailable', reason: 'unknown_device' }
    if (!entry.record.enabled) return { outcome: 'unavailable', reason: 'disabled' }
    if (!entry.published) return { outcome: 'unavailable', reason: 'not_published' }
    const session = options.session(entry.record.num)
    if (session && session.transport !== 'simulator') return { outcome: 'unavailable', reason: 'connected' }
    const product = options.directory.product(entry.record.productNum)
    if (!product.current) await new Promise<void>(resolve => product.waiting.push(resolve))
    return options.simulator.act(entry.record, 'console', asSent(act, modelFor(product, entry.record)))
  }

  async function platform(report: Probes['platform']['ask']): Promise<PlatformOutcome> {
    const entry = await options.directory.find(report.productKey, report.deviceNo)
    if (!entry) return { outcome: 'unavailable', reason: 'unknown_device' }
    if (!entry.record.enabled) return { outcome: 'unavailable', reason: 'disabled' }
    if (!entry.published) return { outcome: 'unavailable', reason: 'not_published' }
    return options.platform.act(entry.record, report.address, report.act)
  }

  async function lora({ productKey, deviceNo, act }: Probes['lora']['ask']): Promise<LoraOutcome> {
    const entry = await options.directory.find(productKey, deviceNo)
    if (!entry || !options.lora) return { outcome: 'unavailable', reason: 'unknown_device' }
    if (!entry.record.enabled) return { outcome: 'unavailable', reason: 'disabled' }
    if (!entry.published) return { outcome: 'unavailable', reason: 'not_published' }
    const product = options.directory.product(entry.record.productNum)
    if (!product.current) await new Promise<void>(resolve => product.waiting.push(resolve))
    return options.lora.act(entry.record, act)
  }

  return async probe => {
    switch (probe.probe) {
      case 'frames':
        await options.frames.ready
        return options.frames.of(probe.device)
      case 'state':
        return state(probe.device, probe.productKey)
      case 'refusals':
        return options.refusals.of(probe.productKey)
      case 'send':
        return send(probe.device, Buffer.from(probe.bytes))
      case 'lora':
        return lora(probe)
      case 'simulate':
        return simulate(probe)
      case 'platform':
        return platform(probe)
    }
  }
}

/**
 * The person speaks of values as they are shown; the device that he acts for would send raw ones, and those go through
 * the model's lines on their way in. A line that is level says nothing of what was sent.
 */
function asSent(act: SimulatedAct, { properties }: CompiledModel): SimulatedAct {
  if (act.kind !== 'property') return act
  const values = JSON.parse(act.payload) as Record<string, unknown>
  for (const [identifier, value] of Object.entries(values)) {
    const line = properties.get(identifier)?.mapping?.up
    if (!line || line.y1 === line.y2 || typeof value !== 'number') continue
    values[identifier] = alongLine(reversed(line), value)
  }
  return { ...act, payload: JSON.stringify(values) }
}
