import { randomUUID } from 'node:crypto'
import type { MqttClient } from 'mqtt'
import type { SimulatedDevice } from './device-service.ts'

/** The HTTP integration of an application: where its events go, with which headers. */
export interface HttpIntegration {
  url: string
  headers: Record<string, string>
}

/** The MQTT integration of the server: its broker, and how events are written. */
export interface MqttIntegration {
  /** `mqtt://host:port` */
  broker: string
  username: string
  password: string
  encoding: 'json' | 'protobuf'
  /** Before `application/…`. */
  prefix?: string
  qos?: 0 | 1
}

export type Integration = HttpIntegration | MqttIntegration

export interface Heard {
  port?: number
  bytes: Uint8Array
  object?: Record<string, unknown>
  gatewayId?: string
  rssi?: number
  snr?: number
}

/**
 * Sends events as ChirpStack does: by HTTP the JSON of `integration.proto`, `?event=`, 5 s, no second try; by MQTT to the
 * topic of the device, in JSON or protobuf.
 */
export function createEvents(options: {
  tenantId: string
  application: { id: string; name: string }
  integration(): Integration | null
  /** Every event, whether it goes anywhere or not. */
  told(event: string, devEui: string, body: Record<string, unknown>): void
  now(): number
}) {
  let client: { of: MqttIntegration; mqtt: MqttClient } | null = null

  async function publish(integration: MqttIntegration, event: string, devEui: string, body: object): Promise<number> {
    if (client?.of !== integration) {
      await client?.mqtt.endAsync()
      const { broker, username, password } = integration
      // The demo has no broker: only who publishes loads what is needed for it.
      const { connectAsync } = await import('mqtt')
      client = { of: integration, mqtt: await connectAsync(broker, { username, password, protocolVersion: 5 }) }
    }
    const topic = `${integration.prefix ?? ''}application/${options.application.id}/device/${devEui}/event/${event}`
    const payload =
      integration.encoding === 'json' ? JSON.stringify(body) : (await import('./event-bytes.ts')).bytesOf(event, body)
    await client.mqtt.publishAsync(topic, payload, { qos: integration.qos ?? 1 })
    return 200
  }

  async function send(event: string, device: SimulatedDevice, said: Record<string, unknown>): Promise<number | null> {
    const integration = options.integration()
    const body = {
      deduplicationId: randomUUID(),
      time: new Date(options.now()).toISOString(),
      deviceInfo: {
        tenantId: options.tenantId,
        tenantName: 'Simulated tenant',
        applicationId: options.application.id,
        applicationName: options.application.name,
        deviceProfileId: device.profileId,
        deviceProfileName: '',
        deviceName: device.name,
        devEui: device.devEui,
        deviceClassEnabled: 'CLASS_A',
        tags: {},
      },
      ...said,
    }
    options.told(event, device.devEui, body)
    if (!integration) return null
    if ('broker' in integration) return publish(integration, event, device.devEui, body)
    const url = new URL(integration.url)
    url.searchParams.set('event', event)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...integration.headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    })
    await answer.arrayBuffer()
    return answer.status
  }

  return {
    /** Leaves the broker. */
    async close() {
      await client?.mqtt.endAsync(true)
      client = null
    },
    location: (device: SimulatedDevice, at: { latitude: number; longitude: number }, source = 'GEO_RESOLVER_TDOA') =>
      send('location', device, { location: { ...at, altitude: 0, source } }),
    join: (device: SimulatedDevice) => send('join', device, { devAddr: '01020304', regionConfigId: 'cn470_10' }),
    up: (
      device: SimulatedDevice,
      { port = 2, bytes, object, gatewayId = '0016c001f1500812', rssi = -57, snr = 9.5 }: Heard,
    ) =>
      send('up', device, {
        devAddr: '01020304',
        adr: true,
        dr: 5,
        fCnt: device.fCnt++,
        fPort: port,
        confirmed: false,
        data: Buffer.from(bytes).toString('base64'),
        ...(object ? { object } : {}),
        rxInfo: [
          { gatewayId: 'aaaaaaaaaaaaaaaa', uplinkId: 1, rssi: -120, snr: -8, crcStatus: 'CRC_OK' },
          { gatewayId, uplinkId: 2, rssi, ...(snr === 0 ? {} : { snr }), channel: 2, crcStatus: 'CRC_OK' },
        ],
        txInfo: {
          frequency: 486_300_000,
          modulation: { lora: { bandwidth: 125_000, spreadingFactor: 7, codeRate: 'CR_4_5' } },
        },
        regionConfigId: 'cn470_10',
      }),
    ack: (device: SimulatedDevice, queueItemId: string, acknowledged: boolean) =>
      send('ack', device, { queueItemId, acknowledged, fCntDown: 1 }),
    txack: (device: SimulatedDevice, queueItemId: string) =>
      send('txack', device, { downlinkId: 1, queueItemId, fCntDown: 1, gatewayId: '0016c001f1500812' }),
    status: (device: SimulatedDevice, batteryLevel: number) =>
      send('status', device, { margin: 12, externalPowerSource: false, batteryLevelUnavailable: false, batteryLevel }),
    log: (device: SimulatedDevice, code: string, description: string, queueItemId = '') =>
      send('log', device, {
        level: 'ERROR',
        code,
        description,
        context: queueItemId ? { queue_item_id: queueItemId } : {},
      }),
  }
}
