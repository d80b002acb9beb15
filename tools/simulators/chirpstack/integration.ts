import { randomUUID } from 'node:crypto'
import type { SimulatedDevice } from './device-service.ts'

/** The HTTP integration of an application: where its events go, with which headers. */
export interface HttpIntegration {
  url: string
  headers: Record<string, string>
}

export interface Heard {
  port?: number
  bytes: Uint8Array
  object?: Record<string, unknown>
  gatewayId?: string
  rssi?: number
  snr?: number
}

/** Sends events as ChirpStack does: JSON of `integration.proto`, `?event=`, 5 s, no second try. */
export function createEvents(options: {
  tenantId: string
  application: { id: string; name: string }
  integration(): HttpIntegration | null
  now(): number
}) {
  async function send(event: string, device: SimulatedDevice, body: Record<string, unknown>): Promise<number | null> {
    const integration = options.integration()
    if (!integration) return null
    const url = new URL(integration.url)
    url.searchParams.set('event', event)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...integration.headers },
      body: JSON.stringify({
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
        ...body,
      }),
      signal: AbortSignal.timeout(5_000),
    })
    await answer.arrayBuffer()
    return answer.status
  }

  return {
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
