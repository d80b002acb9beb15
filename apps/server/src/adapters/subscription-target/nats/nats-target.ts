import type { ConnectionOptions, NatsConnection, TlsOptions } from '@nats-io/transport-node'
import { inBackground } from '../../../lib/background.ts'
import { OutboundError } from '../../../lib/outbound/outbound.ts'
import { type AddressGuard, withoutAddresses } from '../../../lib/outbound/outbound-guard.ts'
import { portOf } from '../../../lib/outbound/port-of.ts'
import { untilAborted } from '../../../lib/until-aborted.ts'
import type {
  DeliveryBatch,
  DeliveryFailure,
  DeliveryItem,
  DeliveryOutcome,
  TargetAdapter,
  TargetSettings,
} from '../../../modules/subscriptions/target.port.ts'

type Settings = Extract<TargetSettings['target'], { kind: 'nats' }>

interface Link {
  connection: NatsConnection
  /** What the server answered to publishes it did not take, since the last look. */
  refusals: string[]
}

const TIMEOUT_MS = 10_000
const DEFAULT_PORT = 4222
/** As HTTP says it: longer than this server takes. */
const TOO_LARGE = 413
/** Room that our header needs in a message beside its payload. */
const HEADER_BYTES = 256

/** What stands for a token of a subject must be one: nothing that separates tokens, and nothing that means several. */
const token = (value: string): string => value.replace(/[\s.*>]/g, '_') || '_'

/** `{type}`, `{productKey}` and `{deviceNo}` in a subject, filled in for one item. @throws when no subject comes of it */
export function subjectOf(pattern: string, item: Pick<DeliveryItem, 'type' | 'productKey' | 'deviceNo'>): string {
  const subject = pattern.replace(/\{(type|productKey|deviceNo)\}/g, (_, name: 'type' | 'productKey' | 'deviceNo') =>
    token(item[name]),
  )
  // A space or a line end would be read as the end of the subject, and what follows as another command.
  if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(subject)) throw new Error(`not a subject: ${subject.slice(0, 100)}`)
  return subject
}

/**
 * NATS servers. Without JetStream a batch is delivered when the server has read it (PING, PONG); with it, when a stream
 * has stored every message. `Nats-Msg-Id` is the item's id, by which a stream drops repetitions.
 */
export function createNatsAdapter(guard: AddressGuard, timeoutMs = TIMEOUT_MS): TargetAdapter {
  return {
    open({ target, subscriptionId }) {
      if (target.kind !== 'nats') throw new Error('not nats')
      let link: Link | null = null
      // A sample may come while a batch is under way: one connection, opened once.
      let opening: Promise<Link> | null = null
      const linked = (): Promise<Link> => {
        if (link && !link.connection.isClosed()) return Promise.resolve(link)
        opening ??= connect(guard, target, subscriptionId, timeoutMs)
          .then(made => {
            link = made
            return made
          })
          .finally(() => {
            opening = null
          })
        return opening
      }
      const end = async () => {
        const { connection } = link ?? {}
        link = null
        await connection?.close()
      }
      const send = async ({ items }: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome> => {
        const began = performance.now()
        const latency = () => Math.round(performance.now() - began)
        try {
          const { connection, refusals } = await linked()
          if (signal.aborted) return { kind: 'away' }
          refusals.length = 0
          const most = (connection.info?.max_payload ?? 1_048_576) - HEADER_BYTES
          const tooLong = items.findIndex(({ payload }) => Buffer.byteLength(payload) > most)
          const fitting = tooLong < 0 ? items : items.slice(0, tooLong)
          if (fitting.length === 0)
            return { kind: 'refused', reason: 'status', status: TOO_LARGE, latencyMs: latency() }
          const acknowledged = await (target.jetStream ? store : write)(connection, target, fitting, timeoutMs)
          const [refusal] = refusals
          if (refusal !== undefined)
            return { kind: 'retry', reason: 'unauthorized', detail: refusal, latencyMs: latency() }
          return acknowledged === items.length
            ? { kind: 'ok', latencyMs: latency() }
            : { kind: 'partial', acknowledged, latencyMs: latency() }
        } catch (error) {
          // Whatever state the connection is in: the next try begins with a new one.
          await end().catch(() => undefined)
          return signal.aborted ? { kind: 'away' } : failed(error as Error, latency())
        }
      }
      const stoppable = async (batch: DeliveryBatch, signal: AbortSignal): Promise<DeliveryOutcome> => {
        const outcome = await untilAborted(send(batch, signal), signal)
        if (outcome) return outcome
        inBackground('closing a connection to NATS', end())
        return { kind: 'away' }
      }
      return { deliver: stoppable, test: stoppable, close: end }
    },
  }
}

async function connect(
  guard: AddressGuard,
  { url, username, password, token: secret }: Settings,
  subscriptionId: string,
  timeoutMs: number,
): Promise<Link> {
  const at = new URL(url)
  const encrypted = at.protocol === 'tls:'
  if (!encrypted && at.protocol !== 'nats:') throw new OutboundError(`${at.protocol}//… is not asked`, 'blocked')
  const port = portOf(at, DEFAULT_PORT)
  const host = at.hostname
  const addresses = await guard.resolve(host, port, encrypted)
  const { connect: dial } = await import('@nats-io/transport-node')
  const options: ConnectionOptions = {
    // Addresses, not the name: the client looks nothing up, and follows no other server that this one names.
    servers: addresses.map(address => `${address.includes(':') ? `[${address}]` : address}:${port}`),
    noRandomize: true,
    ignoreClusterUpdates: true,
    reconnect: false,
    timeout: timeoutMs,
    name: `thingwright ${subscriptionId}`,
    // With `tls` the client refuses a server that has none; the certificate is that of the name.
    ...(encrypted ? { tls: { servername: host } as TlsOptions } : {}),
    ...(username !== undefined ? { user: username } : {}),
    ...(password !== undefined ? { pass: password } : {}),
    ...(secret !== undefined ? { token: secret } : {}),
  }
  const connection = await dial(options)
  const refusals: string[] = []
  inBackground('listening to what NATS says of a connection', listen(connection, refusals))
  return { connection, refusals }
}

async function listen(connection: NatsConnection, refusals: string[]): Promise<void> {
  for await (const status of connection.status())
    if (status.type === 'error' && refusals.length < 10) refusals.push(status.error.message)
}

/** Written, and read by the server. */
async function write(
  connection: NatsConnection,
  { subject }: Settings,
  items: readonly DeliveryItem[],
  timeoutMs: number,
): Promise<number> {
  const { headers } = await import('@nats-io/transport-node')
  for (const item of items) {
    const head = headers()
    head.set('Nats-Msg-Id', item.id)
    connection.publish(subjectOf(subject, item), item.payload, { headers: head })
  }
  await flushed(connection, timeoutMs)
  return items.length
}

/** Stored by a stream; the messages go out in order, their acknowledgements come as they come. */
async function store(
  connection: NatsConnection,
  { subject }: Settings,
  items: readonly DeliveryItem[],
  timeoutMs: number,
): Promise<number> {
  const { headers } = await import('@nats-io/transport-node')
  const answers = await Promise.allSettled(
    items.map(async item => {
      const head = headers()
      head.set('Nats-Msg-Id', item.id)
      const { data } = await connection.request(subjectOf(subject, item), item.payload, {
        headers: head,
        timeout: timeoutMs,
      })
      const { stream, error } = JSON.parse(Buffer.from(data).toString()) as {
        stream?: string
        error?: { code: number; description: string }
      }
      if (error || !stream) throw new StoreError(error?.code ?? 500, error?.description ?? 'no stream answered')
    }),
  )
  const first = answers.findIndex(({ status }) => status === 'rejected')
  if (first === 0) throw (answers[0] as PromiseRejectedResult).reason
  return first < 0 ? items.length : first
}

/** A stream that answers, and says no. */
class StoreError extends Error {
  constructor(
    readonly status: number,
    description: string,
  ) {
    super(description)
  }
}

/** Settles when the server has read everything, or no longer can. */
async function flushed(connection: NatsConnection, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutboundError(`no answer within ${ms} ms`, 'timeout')), ms)
  })
  const cut = connection.closed().then(error => {
    throw error ?? new OutboundError('the connection was cut', 'unreachable')
  })
  try {
    await Promise.race([connection.flush(), late, cut])
  } finally {
    clearTimeout(timer)
  }
}

/** Names of the client's errors, as ours. */
const REASONS: Record<string, DeliveryFailure> = {
  AuthorizationError: 'unauthorized',
  UserAuthenticationExpiredError: 'unauthorized',
  PermissionViolationError: 'unauthorized',
  TimeoutError: 'timeout',
  NoResponders: 'status',
  ConnectionError: 'unreachable',
  ClosedConnectionError: 'unreachable',
}

function failed(error: Error, latencyMs: number): DeliveryOutcome {
  const detail = withoutAddresses(error.message).slice(0, 500)
  if (error instanceof StoreError)
    return { kind: 'retry', reason: 'status', status: error.status, answer: detail, latencyMs }
  if (error instanceof OutboundError) {
    const { failure } = error
    const reason = failure === 'blocked' || failure === 'unreachable' || failure === 'tls' ? failure : 'timeout'
    return { kind: 'retry', reason, detail, latencyMs }
  }
  // What a failed request or connection was about stands in its cause.
  const reason = REASONS[error.name] ?? REASONS[(error.cause as Error | undefined)?.name ?? ''] ?? reasonOfCode(error)
  return { kind: 'retry', reason, detail, latencyMs }
}

function reasonOfCode(error: Error): DeliveryFailure {
  const { code = '' } = error as NodeJS.ErrnoException
  if (/^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|EPROTO)/.test(code)) return 'tls'
  return code.startsWith('E') ? 'unreachable' : 'protocol'
}
