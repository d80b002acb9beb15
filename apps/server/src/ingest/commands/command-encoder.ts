import type { CommandCondition, CommandRules } from '@thingwright/contracts/command-schemas'
import { mapDown } from '@thingwright/thing-model'
import type { Clock } from '../../lib/clock.ts'
import type { Reading } from '../../lib/journal/latest-values.ts'
import { compileReply, interlocked, interlockParams } from '../../modules/commands/index.ts'
import type { EncodeResult } from '../codecs/codec.ts'
import { modelFor } from '../directory/device-models.ts'
import type { ProductEntry } from '../directory/product-cache.ts'
import type { DownlinkMessage } from '../transport.port.ts'
import type { DeviceRecord } from '../uplink.ts'
import type { ClaimedCommand } from './command-queue.repo.ts'

/** A command ready to leave, or why it never will. */
export type Prepared =
  | {
      ok: true
      message: DownlinkMessage
      /** Nothing will answer: that it left is all there is to know. */
      settles: boolean
    }
  | { ok: false; code: string; detail: string }

export interface CommandEncoderOptions {
  product(num: number): Pick<ProductEntry, 'model' | 'settings' | 'codec'>
  /** The device is written bytes and nothing else would be understood. */
  speaksBytes(device: DeviceRecord): boolean
  latest(devices: readonly number[]): Promise<Map<number, Map<string, Reading>>>
  clock: Clock
}

/**
 * Makes the message of a command: what an interlock says about the device as it is now, values as the device expects them,
 * and the bytes of its product's format. At once where nothing must be asked; a promise where the database or a script is.
 */
export class CommandEncoder {
  constructor(private readonly options: CommandEncoderOptions) {}

  prepare(command: ClaimedCommand, device: DeviceRecord): Prepared | Promise<Prepared> {
    const entry = this.options.product(device.productNum)
    const conditions = conditionsOf(command, (entry.settings?.commandRules ?? {}) as CommandRules)
    if (conditions.length === 0) return this.encode(command, device, entry)
    return this.options.latest([device.num]).then(latest => {
      const refused = interlocked(conditions, latest.get(device.num), this.options.clock.now())
      if (!refused) return this.encode(command, device, entry)
      const { identifier, operator, value, actual } = interlockParams(refused)
      return { ok: false, code: 'interlocked', detail: `${identifier} ${operator} ${value} (${actual})` }
    })
  }

  private encode(
    command: ClaimedCommand,
    device: DeviceRecord,
    entry: ReturnType<CommandEncoderOptions['product']>,
  ): Prepared | Promise<Prepared> {
    const { kind, identifier } = command
    // A notice of firmware is a message of the platform's own, whatever the product's format is.
    if (kind === 'firmware') return this.ready(command, device, command.params)
    if (kind === 'raw') return this.ready(command, device, command.params, [Buffer.from(hexOf(command), 'hex')])
    const params = kind === 'property_set' ? mapDown(modelFor(entry, device), command.params) : command.params
    const { codec } = entry
    // Registers are written by the transport that polls them; plain JSON has no codec but its own topics.
    const polled = codec?.kind === 'modbus' && entry.settings?.linkType.startsWith('modbus') === true
    if (!codec || polled) return this.ready(command, device, params)
    const done = (result: EncodeResult): Prepared => {
      if (result.ok) return this.ready(command, device, params, result.frames)
      if (!this.options.speaksBytes(device)) return this.ready(command, device, params)
      return { ok: false, code: result.reason, detail: result.detail }
    }
    const encoded = codec.encode(
      { id: command.id, kind, identifier, params },
      { deviceNo: device.deviceNo, at: this.options.clock.now() },
    )
    return encoded instanceof Promise ? encoded.then(done) : done(encoded)
  }

  private ready(
    command: ClaimedCommand,
    device: DeviceRecord,
    params: Record<string, unknown>,
    frames?: readonly Buffer[],
  ): Prepared {
    const { id, kind, identifier, confirm, expects } = command
    const message: DownlinkMessage = {
      commandId: id,
      suffix: suffixOf(command),
      payload: Buffer.from(JSON.stringify(kind === 'firmware' ? params : { id, params })),
      command: { kind, identifier, params },
      timeoutMs: command.timeoutMs,
      ...(frames ? { frames } : {}),
      ...(command.lora ? { lora: command.lora } : {}),
      ...(expects ? { expects: compileReply(expects) } : {}),
    }
    // Bytes have no place for an id: without a pattern no frame can be told to be the answer.
    const deaf = frames !== undefined && !expects && (kind === 'raw' || this.options.speaksBytes(device))
    return { ok: true, message, settles: confirm === 'none' || (confirm === 'auto' && deaf) }
  }
}

/** The message's place as devices that speak topics see it (interfaces.md §4). */
function suffixOf({ kind, identifier }: ClaimedCommand): string {
  if (kind === 'raw') return 'raw/down'
  if (kind === 'firmware') return 'ota/notify'
  return kind === 'service' ? `service/${identifier}/invoke` : 'property/set'
}

const hexOf = (command: ClaimedCommand) => (typeof command.params.hex === 'string' ? command.params.hex : '')

/** What was asked when the command was made, and what the product asks today. */
function conditionsOf(command: ClaimedCommand, rules: CommandRules): CommandCondition[] {
  const features =
    command.kind === 'property_set'
      ? Object.keys(command.params).map(identifier => rules.properties?.[identifier])
      : command.kind === 'service'
        ? [rules.services?.[command.identifier ?? '']]
        : []
  return [...(command.interlock ?? []), ...features.flatMap(rule => rule?.interlock ?? [])]
}
