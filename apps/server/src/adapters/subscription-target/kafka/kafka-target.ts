import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Producer } from '@platformatic/kafka'
import { inBackground } from '../../../lib/background.ts'
import { OutboundError } from '../../../lib/outbound/outbound.ts'
import { type AddressGuard, withoutAddresses } from '../../../lib/outbound/outbound-guard.ts'
import { untilAborted } from '../../../lib/until-aborted.ts'
import type {
  DeliveryBatch,
  DeliveryFailure,
  DeliveryOutcome,
  TargetAdapter,
  TargetSettings,
} from '../../../modules/subscriptions/target.port.ts'

type Settings = Extract<TargetSettings['target'], { kind: 'kafka' }>
type TextProducer = Producer<string, string, string, string>

interface Link {
  producer: TextProducer
  /** Ends every connection, also one that answers nothing any more. */
  end(): void
}

const TIMEOUT_MS = 10_000
/** All replicas that are in step. */
const ALL = -1
/** MESSAGE_TOO_LARGE and RECORD_LIST_TOO_LARGE of the protocol. */
const TOO_LARGE = new Set([10, 18])
const UNAUTHORIZED = new Set([29, 30, 31, 53, 58])

/**
 * Kafka brokers: one record per item, keyed by its device, so that a device's records stay in one partition and in
 * order; header `id` is the item's. Delivered is what all in-sync replicas have. The library is loaded on first use.
 */
export function createKafkaAdapter(guard: AddressGuard, timeoutMs = TIMEOUT_MS): TargetAdapter {
  return {
    open({ target, subscriptionId }) {
      if (target.kind !== 'kafka') throw new Error('not kafka')
      let link: Promise<Link> | null = null
      const end = async () => {
        const before = link
        link = null
        ;(await before?.catch(() => null))?.end()
      }
      const send = async ({ items }: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome> => {
        const began = performance.now()
        const latency = () => Math.round(performance.now() - began)
        // The client waits for an answer as long as the connection stands.
        const late = AbortSignal.timeout(timeoutMs)
        try {
          link ??= open(guard, target, subscriptionId, timeoutMs)
          const { producer } = await link
          const work = producer.send({
            acks: ALL,
            messages: items.map(({ id, type, productKey, deviceNo, payload }) => ({
              topic: target.topic,
              key: `${productKey}/${deviceNo}`,
              value: payload,
              headers: { id, type },
            })),
          })
          const done = await untilAborted(untilAborted(work, late), signal)
          if (done) return { kind: 'ok', latencyMs: latency() }
          inBackground('closing a connection to Kafka', end())
          if (signal.aborted) return { kind: 'away' }
          return { kind: 'retry', reason: 'timeout', detail: `no answer within ${timeoutMs} ms`, latencyMs: latency() }
        } catch (error) {
          // The next try begins with new connections and with what the cluster says of itself then.
          inBackground('closing a connection to Kafka', end())
          return signal.aborted ? { kind: 'away' } : failed(error as Error, items.length, latency())
        }
      }
      return { deliver: send, test: send, close: end }
    },
  }
}

async function open(
  guard: AddressGuard,
  { brokers, tls, mechanism, username, password }: Settings,
  subscriptionId: string,
  timeoutMs: number,
): Promise<Link> {
  const encrypted = tls ?? false
  const { Producer, NetworkError, stringSerializers } = await import('@platformatic/kafka').catch((error: Error) => {
    throw new NotAvailable(error.message)
  })
  const producer: TextProducer = new Producer({
    clientId: `thingwright-${subscriptionId}`,
    bootstrapBrokers: brokers,
    serializers: stringSerializers,
    timeout: timeoutMs,
    connectTimeout: timeoutMs,
    // The queue behind us is what tries again.
    retries: 0,
    autocreateTopics: false,
    ...(encrypted ? { tls: { lookup: guard.lookup(true) } as object } : {}),
    ...(mechanism ? { sasl: { mechanism, username: username ?? '', password: password ?? '' } } : {}),
  })
  return guarded(producer, guard, encrypted, cause => new NetworkError('not asked', { cause }))
}

interface Broker {
  host: string
  port: number
}
type Got = (error: Error | null, connection?: unknown) => void
interface Connection extends EventEmitter {
  socket?: Socket
}
interface Pool {
  get(broker: Broker, got: Got): unknown
  on(event: 'connecting', listener: (what: { connection: Connection }) => void): unknown
}

/**
 * A broker names the others of its cluster, and may name anything: each is looked up and checked before it is connected
 * to. Without TLS the client is given the checked address; with TLS it keeps the name, which the certificate is for, and
 * its look-up is the guard's.
 * @throws when the client keeps its connections elsewhere than it used to
 */
function guarded(
  producer: TextProducer,
  guard: AddressGuard,
  encrypted: boolean,
  /** The client looks into its errors and takes none but its own. */
  failure: (cause: Error) => Error,
): Link {
  const key = Object.getOwnPropertySymbols(producer).find(
    ({ description }) => description === 'plt.kafka.base.connections',
  )
  const pool = key && (producer as unknown as Record<symbol, Pool>)[key]
  if (!pool || typeof pool.get !== 'function') throw new NotAvailable('an unknown version of the Kafka client')
  const get = pool.get.bind(pool)
  pool.get = (broker, got) => {
    if (encrypted) {
      try {
        guard.check(broker.host, broker.port, true)
        get(broker, got)
      } catch (error) {
        got(failure(error as Error))
      }
      return
    }
    inBackground(
      'finding a broker of Kafka',
      guard.resolve(broker.host, broker.port, false).then(
        ([address]) => get({ ...broker, host: address ?? broker.host }, got),
        (error: Error) => got(failure(error)),
      ),
    )
  }
  const connections = new Set<Connection>()
  pool.on('connecting', ({ connection }) => {
    // A connection that fails twice must not end the process.
    connection.on('error', () => undefined)
    connection.once('close', () => connections.delete(connection))
    connections.add(connection)
  })
  return {
    producer,
    end() {
      producer.close().catch(() => undefined)
      for (const { socket } of connections) socket?.destroy()
    },
  }
}

class NotAvailable extends Error {}

interface KafkaError extends Error {
  code?: string
  /** Number and name of the protocol's error. */
  apiCode?: number
  apiId?: string
  errors?: KafkaError[]
}

/** The error that says most: an answer of the broker, a refusal of the guard, or the innermost one. */
function* causes(error: KafkaError, depth = 0): Generator<KafkaError> {
  if (depth > 6) return
  yield error
  for (const inner of error.errors ?? []) yield* causes(inner, depth + 1)
  if (error.cause instanceof Error) yield* causes(error.cause as KafkaError, depth + 1)
}

const CODES: Record<string, DeliveryFailure> = {
  PLT_KFK_AUTHENTICATION: 'unauthorized',
  PLT_KFK_TIMEOUT: 'timeout',
  PLT_KFK_NETWORK: 'unreachable',
}

function failed(error: KafkaError, items: number, latencyMs: number): DeliveryOutcome {
  const all = [...causes(error)]
  const detailOf = (said: KafkaError) => withoutAddresses(said.message).slice(0, 500)
  if (error instanceof NotAvailable)
    return { kind: 'retry', reason: 'not_available', detail: detailOf(error), latencyMs }
  const refused = all.find((one): one is OutboundError => one instanceof OutboundError)
  if (refused) {
    const reason = refused.failure === 'blocked' ? 'blocked' : 'unreachable'
    return { kind: 'retry', reason, detail: refused.message, latencyMs }
  }
  const answered = all.find(({ apiCode }) => apiCode !== undefined)
  if (answered) {
    const { apiCode = 0, apiId = '' } = answered
    const facts = { status: apiCode, detail: apiId, latencyMs }
    // One record is too long, or all together are: smaller bodies find out.
    if (TOO_LARGE.has(apiCode) && items > 0) return { kind: 'refused', reason: 'status', ...facts }
    return { kind: 'retry', reason: UNAUTHORIZED.has(apiCode) ? 'unauthorized' : 'status', ...facts }
  }
  const known = all.find(({ code = '' }) => CODES[code] !== undefined)
  const last = all.at(-1) as KafkaError
  return { kind: 'retry', reason: CODES[known?.code ?? ''] ?? 'unreachable', detail: detailOf(last), latencyMs }
}
