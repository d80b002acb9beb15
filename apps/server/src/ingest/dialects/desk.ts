import { inBackground } from '../../lib/background.ts'
import type { Logger } from '../../lib/log.ts'
import type { IngestPort } from '../transport.port.ts'
import type { DeviceRecord, RawUplink } from '../uplink.ts'
import {
  type Below,
  type DialectAction,
  type DialectAnswer,
  type DialectMessage,
  type KnownState,
  numberOf,
  type Refused,
} from './dialect.ts'

/** The device that sends a message, and the way to answer it. */
export interface Speaker {
  readonly device: DeviceRecord
  say(answer: DialectAnswer): void
  /** The lane of a device below is full: the speaker should be read no further. */
  crowded?(device: DeviceRecord): void
  /** The message could not be taken at all and must not be acknowledged. */
  broken(): void
}

export type Envelope = Pick<RawUplink, 'arrivedAt' | 'qos2PacketId'>

/** Longest texts kept of an answer to a command. */
const MAX_MESSAGE = 500
const MAX_DATA = 8_192
const NO_DEVICE = 'sub_device_unknown'

/**
 * Does what messages of gateways and of other platforms' clients ask for, whatever transport brought them. What is
 * stored is told as done only when it is durable.
 */
export class Desk {
  constructor(
    private readonly port: IngestPort,
    private readonly log: Logger,
    private readonly now: () => number,
  ) {}

  /** @param done called once, with the reason of the first thing that was refused; never when the speaker is `broken` */
  take(
    speaker: Speaker,
    { actions, confirm }: DialectMessage,
    envelope: Envelope,
    done: (refused: Refused, path?: string) => void,
  ): void {
    // A packet id of QoS 2 is stored once, with what is last.
    const carrier = actions.findLastIndex(action => action.kind === 'uplink')
    let left = actions.length
    let refused: Refused = null
    let place: string | undefined
    const one = (why: Refused, path?: string): void => {
      if (refused === null && why !== null) place = path
      refused ??= why
      if (--left > 0) return
      const answer = confirm?.(refused)
      if (answer) speaker.say(answer)
      done(refused, place)
    }
    actions.forEach((action, i) => {
      this.perform(speaker, action, i === carrier ? envelope : { arrivedAt: envelope.arrivedAt }, one)
    })
    if (actions.length === 0) done(null)
  }

  /** One message of the speaker, or of a device below him. */
  uplink(
    speaker: Speaker,
    below: Below | undefined,
    { channel, payload }: Pick<RawUplink, 'channel' | 'payload'>,
    envelope: Envelope,
    done: (refused: Refused, path?: string) => void,
  ): void {
    const finish = (outcome: string, reason?: string, path?: string): void =>
      done(outcome === 'stored' ? null : (reason ?? 'refused'), path)
    const gateway = speaker.device
    if (!below) {
      this.port.accept({ device: gateway, channel, payload, ...envelope }, finish)
      return
    }
    inBackground(
      'finding a device below a gateway',
      this.deviceOf(gateway, below).then(
        device => {
          if (device) {
            this.port.frame(device, 'up', payload, { channel: channelName(channel) })
            this.port.accept({ device, channel, payload, ...envelope, via: gateway }, finish)
            if (!this.port.hasRoom(device)) speaker.crowded?.(device)
          } else {
            const unknown = { kind: 'unknown', topic: below.name, reason: NO_DEVICE } as const
            this.port.accept({ device: gateway, channel: unknown, payload, ...envelope }, finish)
          }
        },
        (error: Error) => {
          this.log.warn({ err: error, device: gateway.num }, 'device below a gateway could not be looked up')
          speaker.broken()
        },
      ),
    )
  }

  private perform(
    speaker: Speaker,
    action: DialectAction,
    envelope: Envelope,
    done: (refused: Refused, path?: string) => void,
  ): void {
    switch (action.kind) {
      case 'uplink':
        this.uplink(speaker, action.below, action, envelope, done)
        return
      case 'note':
        this.port.note(speaker.device.productKey, speaker.device.deviceNo, action.event, action.detail)
        done(null)
        return
      case 'time':
        speaker.say(action.answer(envelope.arrivedAt, this.now()))
        done(null)
        return
      default:
        inBackground(
          'answering a device',
          this.ask(speaker, action).then(done, (error: Error) => {
            this.log.warn({ err: error, device: speaker.device.num }, 'message of a device was not answered')
            done('unavailable')
          }),
        )
    }
  }

  private async ask(
    speaker: Speaker,
    action: Exclude<DialectAction, { kind: 'uplink' | 'note' | 'time' }>,
  ): Promise<Refused> {
    if (action.kind === 'joined' && action.proof) {
      const refused = await this.prove(speaker.device, action.below, action.proof)
      if (refused) return refused
    }
    const device = await this.deviceOf(speaker.device, action.below)
    if (!device) return NO_DEVICE
    if (action.kind === 'left') this.port.subLeft(speaker.device, device)
    if (action.kind === 'reply') return this.reply(device, action)
    if (action.kind === 'state') {
      const known = await this.port.answer(device, { kind: 'shadow_get' })
      if (!known) return 'unavailable'
      speaker.say(action.answer(JSON.parse(known.toString('utf8')) as KnownState))
    }
    return null
  }

  /** A device below says who it is with its own secret. */
  private async prove(
    gateway: DeviceRecord,
    { name, productKey }: Below,
    proof: NonNullable<(DialectAction & { kind: 'joined' })['proof']>,
  ): Promise<Refused> {
    const address = `${gateway.productKey}/${gateway.deviceNo}`
    const asked = {
      kind: 'signed',
      productKey: productKey ?? '',
      deviceNo: name,
      address,
      transport: 'gateway',
    } as const
    const result = await this.port.signIn({ ...asked, ...proof })
    if (!result.ok) return result.reason
    return result.device.gateway === gateway.num ? null : NO_DEVICE
  }

  private async reply(device: DeviceRecord, action: DialectAction & { kind: 'reply' }): Promise<Refused> {
    const open = await this.port.openCommands(device)
    const command = open.find(({ id }) => numberOf(id) === action.number)
    if (!command) return 'command_unknown'
    const { code, message, data } = action
    const reply = {
      commandId: command.id,
      code,
      ...(message === undefined ? {} : { message: printable(message) }),
      ...(code === 0 ? { data: keepable(data) } : {}),
    }
    return new Promise(resolve => this.port.commandReply(device, reply, () => resolve(null)))
  }

  private async deviceOf(gateway: DeviceRecord, below: Below | undefined): Promise<DeviceRecord | null> {
    if (!below) return gateway
    const device = await this.port.resolveSub(gateway, below.name)
    return device && (below.productKey === undefined || below.productKey === device.productKey) ? device : null
  }
}

/** How the raw view names a channel. */
export function channelName(channel: RawUplink['channel']): string {
  if (channel.kind === 'firmware') return `ota/${channel.message}`
  return 'identifier' in channel ? `${channel.kind}/${channel.identifier}` : channel.kind
}

function printable(text: string): string {
  return text.slice(0, MAX_MESSAGE).toWellFormed().replaceAll('\0', '\uFFFD')
}

/** What a device adds to its answer, as far as it can be stored. */
function keepable(data: unknown): unknown {
  if (data === undefined || data === null) return null
  const text = JSON.stringify(data)
  return text.length <= MAX_DATA && !text.includes('\\u0000') && text.isWellFormed() ? data : null
}
