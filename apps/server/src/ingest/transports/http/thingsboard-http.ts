import type { DeviceAnswer, DeviceCall } from '../../channel/device-frames.ts'
import type { Desk } from '../../dialects/desk.ts'
import { numberOf } from '../../dialects/dialect.ts'
import { dialectsOf } from '../../dialects/index.ts'
import { provision } from '../../dialects/thingsboard/provision.ts'
import { rpcOf, thingsboard } from '../../dialects/thingsboard/thingsboard.dialect.ts'
import type { IngestPort } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { MAX_BODY } from './body.ts'
import type { PollStyle } from './long-polls.ts'
import { isReadable } from './media-types.ts'
import type { Exchange } from './node-adapter.ts'
import { refuseSignIn } from './registration.ts'
import { json, refusal, refusedParams } from './replies.ts'
import { PROVISION_PATH, readThingsboardPath } from './thingsboard-path.ts'

export interface ThingsboardHttpOptions {
  port: IngestPort
  desk: Desk
  /** The device was heard of; counts the message. */
  seen(device: DeviceRecord, call: DeviceCall): void
  hold(device: DeviceRecord, exchange: Exchange, waitMs: number, style: PollStyle): void
}

const NOTHING: DeviceAnswer = { status: 408, retryAfter: 0, body: '{}' }

/** Serves the HTTP device API of ThingsBoard to devices of products that allow this dialect. */
export async function serveThingsboard(
  { port, desk, seen, hold }: ThingsboardHttpOptions,
  call: DeviceCall,
  exchange: Exchange,
  arrivedAt: number,
): Promise<void> {
  const { language, address, body } = call
  if (call.url === PROVISION_PATH && call.method === 'POST') {
    const said = await provision(port, body, { address, transport: 'http' })
    return exchange.answer(json(JSON.stringify(said)))
  }
  const wanted = readThingsboardPath(call.method, call.url)
  if (!wanted) return exchange.answer(refusal(language, 'device_path.unknown_path'))
  const result = await port.signIn({ kind: 'token', token: wanted.token, address, transport: 'http' })
  if (!result.ok) return exchange.answer(refuseSignIn(language, result.reason))
  const { device } = result
  if (!dialectsOf(port.settingsOf(device)).includes(thingsboard))
    return exchange.answer(refusal(language, 'device_path.unknown_path'))
  seen(device, call)
  if (wanted.kind === 'poll') return hold(device, exchange, wanted.waitMs, styleOf(port, device, wanted.of))
  const read = thingsboard.read(device, wanted.topic)
  if (!read) return exchange.answer(refusal(language, 'device_path.unknown_path'))
  if (!isReadable(call)) return exchange.answer(refusal(language, 'request.media_type'))
  const limitedMs = port.limited(device)
  if (limitedMs > 0) {
    const seconds = Math.ceil(limitedMs / 1000)
    return exchange.answer(refusal(language, 'rate.limited', { params: { seconds }, retryAfter: seconds }))
  }
  if (!port.hasRoom(device)) return exchange.answer(refusal(language, 'device_path.overloaded', { retryAfter: 1 }))
  if (body.length > MAX_BODY) {
    const detail = `more than ${MAX_BODY} bytes`
    port.note(device.productKey, device.deviceNo, 'too_large', { detail, address, transport: 'http' })
    return exchange.answer(refusal(language, 'request.too_large', { params: { limit: MAX_BODY } }))
  }
  const payload = wanted.payload ?? body
  port.frame(device, 'up', payload, { channel: wanted.topic })
  let said: Buffer | null = null
  const speaker = {
    device,
    say: (answer: { payload: Buffer }) => {
      said = answer.payload
    },
    broken: () => exchange.answer(refusal(language, 'server.unavailable', { retryAfter: 2 })),
  }
  desk.take(speaker, read(payload), { arrivedAt }, (refused, path) => {
    if (said) exchange.answer(json(said.toString('utf8')))
    else if (refused === null) exchange.answer(json('{}'))
    else if (refused === 'command_unknown') exchange.answer(refusal(language, 'command.not_found'))
    else exchange.answer(refusal(language, 'device_path.refused', { params: refusedParams(refused, path) }))
  })
}

/** `rpc` takes services and answers `{id, method, params}`; `attributes` takes wanted properties, which nothing confirms. */
function styleOf(port: IngestPort, device: DeviceRecord, of: 'rpc' | 'attributes'): PollStyle {
  return {
    takes: ({ command, sub }) => !sub && command.kind === (of === 'rpc' ? 'service' : 'property_set'),
    answer(message) {
      if (!message) return NOTHING
      if (of === 'rpc') return json(JSON.stringify({ id: numberOf(message.commandId), ...rpcOf(message.command) }))
      port.commandReply(device, { commandId: message.commandId, code: 0 })
      return json(JSON.stringify({ shared: message.command.params }))
    },
  }
}
