import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import mqttPacket, { type IConnackPacket, type IPublishPacket, type Packet } from 'mqtt-packet'
import { inBackground } from '../../../lib/background.ts'
import type { AddressGuard } from '../../../lib/outbound/outbound-guard.ts'
import { OutboundError, outboundError } from '../../../lib/outbound/outbound-guard.ts'
import type { Feed, FeedAccess, FeedEvents } from '../../../modules/lora/feed.port.ts'
import { LnsError, type LnsFault } from '../../../modules/lora/lns.port.ts'
import { readEvent } from './event-message.ts'

/** Events in work at once; a broker of MQTT 5 sends no more of QoS 1. */
const MOST_AT_ONCE = 256
const KEEP_ALIVE_S = 30
/** For this long a broker keeps what was missed. */
const SESSION_S = 3_600
const GIVE_UP_MS = 10_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** Codes of CONNACK that other credentials would change (MQTT 3.1.1 §3.2.2.3, MQTT 5.0 §3.2.2.2). */
const NOT_LET_IN = new Set([4, 5, 0x86, 0x87, 0x8a, 0x8c])
const OTHER_VERSION = new Set([1, 0x84])

/** The two halves of `{prefix}application/{id}/device/{devEui}/event/{event}` that matter. */
const TOPIC = /^application\/[^/]+\/device\/([0-9a-fA-F]{16})\/event\/([a-z]+)$/

/** Listens to the broker of ChirpStack's MQTT integration and comes back by itself. */
export function createMqttFeed(
  access: FeedAccess,
  events: FeedEvents,
  { guard, pauseMs = FIRST_PAUSE_MS }: { guard: AddressGuard; pauseMs?: number },
): Feed {
  const prefix = access.prefix === '' || access.prefix.endsWith('/') ? access.prefix : `${access.prefix}/`
  let version: 4 | 5 = 5
  let pause = pauseMs
  let socket: Socket | null = null
  let again: NodeJS.Timeout | null = null
  let closed = false
  /** The last event of each device: those of one device follow each other. */
  const lines = new Map<string, Promise<void>>()
  let inWork = 0
  /** Messages of QoS 1 whose events are in work, by number and topic. */
  const working = new Map<string, { payload: Buffer; stored: Promise<boolean> }>()
  const idle: (() => void)[] = []

  function fail(error: unknown): void {
    if (closed) return
    events.failed(
      error instanceof LnsError
        ? error
        : error instanceof OutboundError
          ? new LnsError('unavailable', error.message, error.failure)
          : new LnsError('answer', (error as Error).message),
    )
    again = setTimeout(open, pause)
    again.unref()
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
  }

  /** Begins an event of a device after the one before it. */
  function inTurn(devEui: string, work: () => Promise<void>, then: (stored: boolean) => void): Promise<boolean> {
    const mine = (lines.get(devEui) ?? Promise.resolve()).then(work)
    inWork++
    const ended = mine.then(
      () => true,
      () => false,
    )
    const line = ended.then(stored => {
      inWork--
      then(stored)
      if (lines.get(devEui) === line) lines.delete(devEui)
      // Also one that was opened while events of the connection before it were in work.
      if (inWork <= MOST_AT_ONCE / 2 && socket?.isPaused()) socket.resume()
      if (inWork === 0) for (const wake of idle.splice(0)) wake()
    })
    lines.set(devEui, line)
    return ended
  }

  function open(): void {
    again = null
    connection().catch(fail)
  }

  /** One connection, to its end. @throws LnsError, OutboundError */
  async function connection(): Promise<void> {
    const { host, port, tls, username, password, clientId } = access
    const [address] = await guard.resolve(host, port, tls)
    if (closed) return
    if (address === undefined) throw new LnsError('unavailable', `${host} has no address`)
    const mine = tls
      ? connectTls({ host: address, port, servername: /^[\d.]+$|:/.test(host) ? '' : host })
      : connectTcp({ host: address, port })
    socket = mine
    mine.setNoDelay(true)
    const parser = mqttPacket.parser({ protocolVersion: version })
    let beat: NodeJS.Timeout | null = null
    let lastHeard = Date.now()
    const send = (packet: Packet) => {
      if (!mine.destroyed) mine.write(mqttPacket.generate(packet, { protocolVersion: version }))
    }
    const giveUp = setTimeout(() => mine.destroy(new LnsError('unavailable', 'no answer in time')), GIVE_UP_MS)

    const topic = `${prefix}application/+/device/+/event/+`
    const take = (packet: IPublishPacket) => {
      const acknowledge = () => {
        if (packet.qos === 1)
          send({ cmd: 'puback', messageId: packet.messageId!, ...(version === 5 ? { reasonCode: 0 } : {}) })
      }
      const found = packet.topic.startsWith(prefix) ? TOPIC.exec(packet.topic.slice(prefix.length)) : null
      let body: unknown
      try {
        if (!found) throw new Error('not a topic of an event')
        body = readEvent(found[2]!, packet.payload as Buffer)
      } catch (error) {
        // It would be no better a second time.
        events.unreadable(packet.topic, (error as Error).message)
        acknowledge()
        return
      }
      const devEui = found[1]!.toLowerCase()
      const key = `${packet.messageId}/${packet.topic}`
      // Sent again by a broker that has heard nothing of it: its event is still in work.
      const before = packet.dup ? working.get(key) : undefined
      if (before?.payload.equals(packet.payload as Buffer)) {
        inBackground(
          'acknowledging what came again',
          before.stored.then(stored => stored && acknowledge()),
        )
        return
      }
      const stored = inTurn(
        devEui,
        () => events.event(devEui, found[2]!, body),
        stored => {
          if (working.get(key)?.payload === packet.payload) working.delete(key)
          if (stored) acknowledge()
        },
      )
      if (packet.qos === 1) working.set(key, { payload: packet.payload as Buffer, stored })
      // Of QoS 0 a broker sends as much as the connection takes.
      if (inWork >= MOST_AT_ONCE) mine.pause()
    }

    const granted = (packet: IConnackPacket) => {
      const code = (version === 5 ? packet.reasonCode : packet.returnCode) ?? 0
      if (code === 0) {
        send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1, ...(version === 5 ? MQTT_5 : {}) }] })
        return
      }
      if (version === 5 && OTHER_VERSION.has(code)) version = 4
      const fault: LnsFault = NOT_LET_IN.has(code) ? 'credentials' : 'refused'
      const text = packet.properties?.reasonString ?? `the broker did not let us in (code ${code})`
      mine.destroy(new LnsError(fault, text.slice(0, 500), String(code)))
    }

    parser.on('packet', packet => {
      lastHeard = Date.now()
      switch (packet.cmd) {
        case 'connack':
          granted(packet)
          break
        case 'suback': {
          clearTimeout(giveUp)
          const [code] = packet.granted as number[]
          if (code === undefined || code >= 0x80) {
            mine.destroy(new LnsError('refused', `the broker does not allow ${topic}`, String(code)))
            break
          }
          pause = pauseMs
          beat = setInterval(() => {
            if (Date.now() - lastHeard > 2 * KEEP_ALIVE_S * 1_000)
              mine.destroy(new LnsError('unavailable', 'the broker is silent'))
            else send({ cmd: 'pingreq' })
          }, KEEP_ALIVE_S * 500)
          beat.unref()
          events.connected()
          break
        }
        case 'publish':
          take(packet)
          break
        case 'disconnect':
          mine.destroy(new LnsError('unavailable', `the broker ended the connection (code ${packet.reasonCode ?? 0})`))
          break
        default:
      }
    })
    parser.on('error', error => mine.destroy(new LnsError('answer', error.message)))
    mine.on('data', chunk => parser.parse(chunk))
    mine.once(tls ? 'secureConnect' : 'connect', () => {
      if (!guard.permits(mine.remoteAddress, tls)) {
        mine.destroy(new OutboundError(`${host} is not asked`, 'blocked'))
        return
      }
      send({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: version,
        clean: version === 4,
        clientId,
        keepalive: KEEP_ALIVE_S,
        ...(username === '' ? {} : { username }),
        ...(password === '' ? {} : { password: Buffer.from(password) }),
        ...(version === 5 ? { properties: { sessionExpiryInterval: SESSION_S, receiveMaximum: MOST_AT_ONCE } } : {}),
      })
    })

    await new Promise<void>((_, reject) => {
      let reason: Error | null = null
      mine.on('error', error => {
        reason = error
      })
      mine.once('close', () => {
        clearTimeout(giveUp)
        if (beat) clearInterval(beat)
        if (reason === null) reject(new LnsError('unavailable', 'the broker cut the connection'))
        else reject(reason instanceof LnsError ? reason : outboundError(reason))
      })
    })
  }

  open()
  return {
    async close() {
      closed = true
      if (again) clearTimeout(again)
      // What is not acknowledged comes again when somebody listens.
      socket?.destroy()
      if (inWork > 0) await new Promise<void>(resolve => idle.push(resolve))
    },
  }
}

/** Options of a subscription in MQTT 5: nothing that was kept for those who come later. */
const MQTT_5 = { nl: false, rap: false, rh: 2 } as const
