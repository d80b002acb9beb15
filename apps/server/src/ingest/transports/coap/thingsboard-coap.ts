import type { Desk } from '../../dialects/desk.ts'
import { dialectsOf } from '../../dialects/index.ts'
import { provision } from '../../dialects/thingsboard/provision.ts'
import { thingsboard } from '../../dialects/thingsboard/thingsboard.dialect.ts'
import type { IngestPort } from '../../transport.port.ts'
import type { DeviceRecord } from '../../uplink.ts'
import { PROVISION_PATH, readThingsboardPath } from '../http/thingsboard-path.ts'
import type { CoapAnswer, CoapPeer } from './coap-server.ts'
import { type CoapMessage, Code, methodOf, OptionNumber, uintValue, urlOf } from './message.ts'

export interface ThingsboardCoapOptions {
  port: IngestPort
  desk: Desk
  /** The device was heard of. */
  seen(device: DeviceRecord, peer: CoapPeer): void
  /** The body once its last block is there; null: it was answered. */
  whole(device: DeviceRecord | null): Buffer | null
  refused(code: number, reason: string): CoapAnswer
  later(code: number, ms: number): CoapAnswer
}

const JSON_FORMAT = { number: OptionNumber.contentFormat, value: uintValue(50) }
const said = (payload: Buffer): CoapAnswer => ({ code: Code.content, payload, options: [JSON_FORMAT] })

/**
 * The CoAP device API of ThingsBoard, for devices of products that allow this dialect: what its HTTP paths take, under
 * the same addresses. Commands are not observed there: `…/commands` of our own path hands them out.
 */
export async function serveThingsboardCoap(
  { port, desk, seen, whole, refused, later }: ThingsboardCoapOptions,
  request: CoapMessage,
  peer: CoapPeer,
  arrivedAt: number,
  answer: (said: CoapAnswer) => void,
): Promise<void> {
  const url = urlOf(request)
  const method = methodOf(request)
  if (!method) return answer({ code: Code.methodNotAllowed })
  const { address } = peer
  if (url === PROVISION_PATH) {
    if (method !== 'POST') return answer({ code: Code.methodNotAllowed })
    const asked = whole(null)
    if (asked) answer(said(Buffer.from(JSON.stringify(await provision(port, asked, { address, transport: 'coap' })))))
    return
  }
  const wanted = readThingsboardPath(method, url)
  if (wanted?.kind !== 'message') return answer({ code: wanted ? Code.methodNotAllowed : Code.notFound })
  const result = await port.signIn({ kind: 'token', token: wanted.token, address, transport: 'coap' })
  if (!result.ok)
    return answer(result.reason === 'unavailable' ? later(Code.unavailable, 2_000) : { code: Code.unauthorised })
  const { device } = result
  const read = dialectsOf(port.settingsOf(device)).includes(thingsboard) ? thingsboard.read(device, wanted.topic) : null
  if (!read) return answer({ code: Code.notFound })
  seen(device, peer)
  const body = whole(device)
  if (!body) return
  const limitedMs = port.limited(device)
  if (limitedMs > 0) return answer(later(Code.tooMany, limitedMs))
  if (!port.hasRoom(device)) return answer(later(Code.unavailable, 1_000))
  const payload = wanted.payload ?? body
  port.frame(device, 'up', payload, { channel: wanted.topic })
  let reply: Buffer | null = null
  const speaker = {
    device,
    say: (message: { payload: Buffer }) => {
      reply = message.payload
    },
    broken: () => answer(later(Code.unavailable, 2_000)),
  }
  desk.take(speaker, read(payload), { arrivedAt }, reason => {
    if (reply) answer(said(reply))
    else if (reason === null) answer({ code: Code.changed })
    else answer(refused(reason === 'too_large' ? Code.tooLarge : Code.unprocessable, reason))
  })
}
