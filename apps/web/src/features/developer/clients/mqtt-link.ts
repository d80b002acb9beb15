import type { MqttClient } from 'mqtt'
import { bodyText } from './log-lines.ts'

export interface MqttSettings {
  username: string
  password: string
  protocolVersion: 4 | 5
}

export interface MqttEvents {
  onState: (state: 'connected' | 'connecting' | 'closed') => void
  onMessage: (topic: string, body: string, detail: string) => void
  /** CONNACK refused, connection cut; in the words of the protocol. */
  onProblem: (text: string) => void
}

export interface MqttLink {
  subscribe(filter: string, qos: 0 | 1 | 2): Promise<number>
  unsubscribe(filter: string): Promise<void>
  publish(topic: string, body: string, qos: 0 | 1 | 2): Promise<void>
  close(): void
}

/**
 * One MQTT session over WebSocket from this very page. The client library is large: it is fetched when somebody connects.
 * Never reconnects by itself, so that a refusal is seen and a device whose place was taken can come back.
 */
export async function openMqtt(settings: MqttSettings, events: MqttEvents): Promise<MqttLink> {
  const { default: mqtt } = await import('mqtt')
  const { protocol, host } = location
  events.onState('connecting')
  const client: MqttClient = mqtt.connect(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/mqtt`, {
    username: settings.username,
    password: settings.password,
    protocolVersion: settings.protocolVersion,
    clientId: `console-${Math.random().toString(36).slice(2, 10)}`,
    clean: true,
    keepalive: 30,
    connectTimeout: 10_000,
    reconnectPeriod: 0,
    // Timers of the page itself: the library's own ones need a worker made of text.
    timerVariant: 'native',
  })
  client.on('connect', () => events.onState('connected'))
  client.on('message', (topic, payload, packet) =>
    events.onMessage(topic, bodyText(payload), `QoS ${packet.qos} · ${payload.length} B`),
  )
  client.on('error', error => events.onProblem(error.message))
  client.on('disconnect', packet => events.onProblem(`DISCONNECT 0x${(packet.reasonCode ?? 0).toString(16)}`))
  client.on('close', () => events.onState('closed'))
  return {
    async subscribe(filter, qos) {
      const [granted] = await client.subscribeAsync(filter, { qos })
      return granted?.qos ?? 128
    },
    unsubscribe: async filter => {
      await client.unsubscribeAsync(filter)
    },
    publish: async (topic, body, qos) => {
      await client.publishAsync(topic, body, { qos })
    },
    close: () => client.end(true),
  }
}
