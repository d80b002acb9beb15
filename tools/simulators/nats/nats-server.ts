import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

export interface NatsMessage {
  subject: string
  payload: string
  headers: Record<string, string>
}

/** How the server behaves from now on. */
export type NatsBehaviour =
  | { kind: 'take' }
  /** Reads and answers nothing, not even PING. */
  | { kind: 'hang' }
  /** Publishing is not permitted. */
  | { kind: 'forbid' }
  /** JetStream: the stream refuses with this error. */
  | { kind: 'refuse'; code: number; description: string }
  /** Cuts the connection at the next message. */
  | { kind: 'cut' }

export interface NatsServer {
  readonly port: number
  /** What was taken, in order. With a stream: repetitions of an id left out, as a stream does. */
  readonly messages: NatsMessage[]
  /** What no honest client does. */
  readonly faults: string[]
  behave(behaviour: NatsBehaviour): void
  close(): Promise<void>
}

interface Settings {
  port?: number
  host?: string
  account?: { username: string; password: string } | { token: string }
  /** Subjects (a prefix, or everything) that a stream stores; absent: there is no stream, and nobody answers. */
  stream?: { name: string; prefix: string }
  maxPayload?: number
}

const CRLF = '\r\n'
const SUBJECT = /^[^\s.*>]+(\.[^\s.*>]+)*$/
const MOST_LINE = 4096

/** A NATS server as its protocol documentation describes it, as far as a publisher sees it, with an optional stream. */
export async function startNatsServer(settings: Settings = {}): Promise<NatsServer> {
  const { host = '127.0.0.1', account, stream, maxPayload = 1_048_576 } = settings
  const messages: NatsMessage[] = []
  const faults: string[] = []
  const stored = new Map<string, number>()
  const sockets = new Set<Socket>()
  let behaviour: NatsBehaviour = { kind: 'take' }
  let sequence = 0

  function serve(socket: Socket): void {
    let held = Buffer.alloc(0)
    let signedIn = false
    const subscriptions = new Map<string, string>()
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    const say = (text: string) => void socket.write(text)
    say(
      `INFO ${JSON.stringify({ server_id: 'SIMULATED', server_name: 'simulated', version: '2.11.0', proto: 1, headers: true, jetstream: stream !== undefined, max_payload: maxPayload, auth_required: account !== undefined, connect_urls: ['10.0.0.1:4222'] })}${CRLF}`,
    )

    function fault(text: string): void {
      faults.push(text)
      say(`-ERR 'Unknown Protocol Operation'${CRLF}`)
      socket.end()
    }

    function connect(text: string): void {
      const asked = JSON.parse(text) as Record<string, unknown>
      const right =
        account === undefined ||
        ('token' in account
          ? asked.auth_token === account.token
          : asked.user === account.username && asked.pass === account.password)
      if (asked.headers !== true) faults.push('a client without headers')
      signedIn = right
      if (right) return
      say(`-ERR 'Authorization Violation'${CRLF}`)
      socket.end()
    }

    /** Bytes behind a PUB or HPUB line that have to be there; NaN: the line is wrong. */
    function take(words: string[], body: Buffer): void {
      const withHeaders = words[0] === 'HPUB'
      const subject = words[1]!
      const reply = words.length === (withHeaders ? 5 : 4) ? words[2]! : null
      const headerSize = withHeaders ? Number(words.at(-2)) : 0
      if (body.subarray(-2).toString() !== CRLF) {
        fault('a payload without its end')
        return
      }
      const head = body.subarray(0, headerSize).toString()
      if (withHeaders && !(head.startsWith(`NATS/1.0${CRLF}`) && head.endsWith(CRLF + CRLF))) {
        fault('headers that are none')
        return
      }
      const headers: Record<string, string> = {}
      for (const line of head.split(CRLF).slice(1).filter(Boolean)) {
        const at = line.indexOf(':')
        headers[line.slice(0, at)] = line.slice(at + 1).trim()
      }
      if (!SUBJECT.test(subject)) {
        fault(`subject ${subject}`)
        return
      }
      if (!headers['Nats-Msg-Id']) faults.push('a message without an id')
      if (behaviour.kind === 'forbid') {
        say(`-ERR 'Permissions Violation for Publish to "${subject}"'${CRLF}`)
        return
      }
      const message = { subject, payload: body.subarray(headerSize, -2).toString(), headers }
      if (reply === null) messages.push(message)
      else answer(reply, message)
    }

    /** A request: of a stream, or of nobody. */
    function answer(reply: string, message: NatsMessage): void {
      const sid = [...subscriptions].find(([filter]) => reply.startsWith(filter.replace(/[*>].*$/, '')))?.[1]
      if (sid === undefined) {
        fault(`nobody listens at ${reply}`)
        return
      }
      if (!stream || !message.subject.startsWith(stream.prefix)) {
        const head = `NATS/1.0 503${CRLF}${CRLF}`
        say(`HMSG ${reply} ${sid} ${head.length} ${head.length}${CRLF}${head}${CRLF}`)
        return
      }
      const id = message.headers['Nats-Msg-Id'] ?? ''
      const before = stored.get(id)
      if (before === undefined && behaviour.kind !== 'refuse') {
        messages.push(message)
        stored.set(id, ++sequence)
      }
      const text = JSON.stringify(
        behaviour.kind === 'refuse'
          ? { error: { code: behaviour.code, description: behaviour.description } }
          : { stream: stream.name, seq: before ?? sequence, ...(before === undefined ? {} : { duplicate: true }) },
      )
      say(`MSG ${reply} ${sid} ${Buffer.byteLength(text)}${CRLF}${text}${CRLF}`)
    }

    /** @returns false when more bytes are needed */
    function one(): boolean {
      const end = held.indexOf(CRLF)
      if (end < 0) {
        if (held.length > MOST_LINE) fault('a line without an end')
        return false
      }
      const line = held.subarray(0, end).toString()
      const words = line.split(/\s+/)
      const verb = words[0]!.toUpperCase()
      if (verb === 'PUB' || verb === 'HPUB') {
        const size = Number(words.at(-1))
        if (!Number.isInteger(size) || size < 0 || words.length < 3 || words.length > 5) {
          fault(line)
          return false
        }
        if (size > maxPayload) {
          faults.push(`a payload of ${size} bytes`)
          say(`-ERR 'Maximum Payload Violation'${CRLF}`)
          socket.end()
          return false
        }
        if (held.length < end + 2 + size + 2) return false
        const body = held.subarray(end + 2, end + 2 + size + 2)
        held = held.subarray(end + 2 + size + 2)
        if (behaviour.kind === 'hang') return true
        if (behaviour.kind === 'cut') {
          socket.destroy()
          return false
        }
        if (signedIn) take([verb, ...words.slice(1)], body)
        else fault('a message before CONNECT')
        return true
      }
      held = held.subarray(end + 2)
      if (verb === 'CONNECT') connect(line.slice('CONNECT'.length))
      else if (verb === 'PING') {
        if (behaviour.kind !== 'hang') say(`PONG${CRLF}`)
      } else if (verb === 'SUB') subscriptions.set(words[1]!, words.at(-1)!)
      else if (verb !== 'UNSUB' && verb !== 'PONG') fault(line)
      return true
    }

    socket.on('data', chunk => {
      held = Buffer.concat([held, chunk])
      while (held.length > 0 && !socket.destroyed && one()) {
        // one after the other
      }
    })
  }

  const server = createServer(serve)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.port ?? 0, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    faults,
    behave: next => {
      behaviour = next
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
