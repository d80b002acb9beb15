import grpc from '@grpc/grpc-js'
import type { AddressGuard } from '../../../lib/outbound/outbound-guard.ts'
import { OutboundError, withoutAddresses } from '../../../lib/outbound/outbound-guard.ts'
import { portOf } from '../../../lib/outbound/port-of.ts'
import { LnsError, type LnsFault } from '../../../modules/lora/lns.port.ts'

/** The generated clients are made from the outside of a channel: a constructor and unary methods with callbacks. */
type ClientType<C> = new (address: string, credentials: grpc.ChannelCredentials, options?: object) => C
type Unary<Request, Reply> = (
  request: Request,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
  callback: grpc.requestCallback<Reply>,
) => grpc.ClientUnaryCall

/** Asks one method of a service. @param token of a person in place of the API key; null: none at all */
export type Asking = <C extends grpc.Client, Request, Reply>(
  type: ClientType<C>,
  method: (client: C) => Unary<Request, Reply>,
  request: Request,
  token?: string | null,
) => Promise<Reply>

type Streaming<Request, Item> = (
  request: Request,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
) => grpc.ClientReadableStream<Item>

/** Listens to a stream of a service for a moment. */
export type Listening = <C extends grpc.Client, Request, Item>(
  type: ClientType<C>,
  method: (client: C) => Streaming<Request, Item>,
  request: Request,
) => Promise<Item[]>

export interface Channel {
  ask: Asking
  listen: Listening
  close(): void
}

/** What is kept comes within a moment; then this long without a line ends it. */
const QUIET_MS = 400
const FIRST_MS = 1_500
const MOST_LINES = 200

/** Names are looked up anew after this time, by the guard. */
const KEPT_MS = 5 * 60_000
const MAX_REPLY = 16 * 1024 * 1024
const STATUS = grpc.status
const FAULTS: Readonly<Record<number, LnsFault>> = {
  [STATUS.UNAUTHENTICATED]: 'credentials',
  [STATUS.PERMISSION_DENIED]: 'credentials',
  [STATUS.NOT_FOUND]: 'gone',
  [STATUS.ALREADY_EXISTS]: 'exists',
  [STATUS.INVALID_ARGUMENT]: 'refused',
  [STATUS.FAILED_PRECONDITION]: 'refused',
  [STATUS.OUT_OF_RANGE]: 'refused',
  [STATUS.UNIMPLEMENTED]: 'answer',
}

export interface ChannelOptions {
  url: string
  apiKey: string
  guard: AddressGuard
  timeoutMs: number
  now(): number
}

/**
 * The way to a ChirpStack server. gRPC would look names up by itself: it is given the address that the guard looked at,
 * and the name for the certificate.
 */
export function createChannel({ url, apiKey, guard, timeoutMs, now }: ChannelOptions): Channel {
  const { protocol, hostname, port } = new URL(url)
  const encrypted = protocol === 'https:'
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  const portNumber = portOf({ port }, encrypted ? 443 : 80)
  const credentials = encrypted ? grpc.credentials.createSsl() : grpc.credentials.createInsecure()
  let kept: { clients: Map<unknown, grpc.Client>; target: string; until: number } | null = null

  function drop(): void {
    for (const client of kept?.clients.values() ?? []) client.close()
    kept = null
  }

  async function clientOf<C extends grpc.Client>(type: ClientType<C>): Promise<C> {
    if (kept && kept.until < now()) drop()
    if (!kept) {
      const [address] = await guard.resolve(host, portNumber, encrypted)
      if (address === undefined) throw new LnsError('unavailable', `${host} has no address`)
      kept ??= {
        clients: new Map(),
        target: address.includes(':') ? `ipv6:[${address}]:${portNumber}` : `ipv4:${address}:${portNumber}`,
        until: now() + KEPT_MS,
      }
    }
    const client =
      (kept.clients.get(type) as C | undefined) ??
      new type(kept.target, credentials, {
        'grpc.default_authority': `${hostname}:${portNumber}`,
        ...(encrypted ? { 'grpc.ssl_target_name_override': host } : {}),
        'grpc.enable_http_proxy': 0,
        'grpc.max_receive_message_length': MAX_REPLY,
        'grpc.initial_reconnect_backoff_ms': 500,
        'grpc.max_reconnect_backoff_ms': 5_000,
      })
    kept.clients.set(type, client)
    return client
  }

  async function reached<C extends grpc.Client>(type: ClientType<C>): Promise<C> {
    try {
      return await clientOf(type)
    } catch (error) {
      if (error instanceof OutboundError) throw new LnsError('unavailable', error.message, error.failure)
      throw error
    }
  }

  function metadataOf(token: string | null): grpc.Metadata {
    const metadata = new grpc.Metadata()
    if (token !== null) metadata.set('authorization', `Bearer ${token}`)
    return metadata
  }

  return {
    async listen(type, method, request) {
      const client = await reached(type)
      const stream = method(client).call(client, request, metadataOf(apiKey), { deadline: Date.now() + timeoutMs })
      const items: (typeof stream extends grpc.ClientReadableStream<infer Item> ? Item : never)[] = []
      return new Promise((resolve, reject) => {
        let timer = setTimeout(end, FIRST_MS)
        function end(): void {
          clearTimeout(timer)
          resolve(items)
          stream.cancel()
        }
        stream.on('data', item => {
          items.push(item)
          clearTimeout(timer)
          if (items.length >= MOST_LINES) end()
          else timer = setTimeout(end, QUIET_MS)
        })
        stream.on('end', end)
        stream.on('error', (error: grpc.ServiceError) => {
          clearTimeout(timer)
          // What was cancelled by ourselves is resolved by then.
          reject(faultOf(error))
        })
      })
    },
    async ask(type, method, request, token = apiKey) {
      const client = await reached(type)
      return new Promise((resolve, reject) => {
        method(client).call(
          client,
          request,
          metadataOf(token),
          { deadline: Date.now() + timeoutMs },
          (error, reply) => {
            if (error) reject(faultOf(error))
            else if (reply === undefined) reject(new LnsError('answer', 'an empty answer'))
            else resolve(reply)
          },
        )
      })
    },
    close: drop,
  }
}

function faultOf(error: grpc.ServiceError): LnsError {
  const code = STATUS[error.code] ?? String(error.code)
  // The library's own words name the address that the name stood for.
  const text = withoutAddresses(error.details).slice(0, 500) || code
  return new LnsError(FAULTS[error.code] ?? 'unavailable', text, code)
}

interface Timestamp {
  getSeconds(): number
  getNanos(): number
}

/** A protobuf time in ISO 8601. */
export function timeOf(stamp: Timestamp | undefined): string | null {
  return stamp ? new Date(stamp.getSeconds() * 1000 + Math.floor(stamp.getNanos() / 1e6)).toISOString() : null
}

/** The same of a time that is never left out. @throws LnsError answer */
export function timeIn(stamp: Timestamp | undefined): string {
  const time = timeOf(stamp)
  if (time === null) throw new LnsError('answer', 'a time is missing')
  return time
}
