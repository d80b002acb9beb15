import type { SubscriptionKind } from '@thingwright/contracts/subscriptions.contract'

/** What `data` holds, by kind; the contract says the same in words. */
export const EXAMPLE_DATA: Record<SubscriptionKind, Record<string, unknown>> = {
  property: { temperature: 21.5, heating: true },
  event: { identifier: 'overheat', level: 'warning', params: { temperature: 86.2 } },
  state: { link: 'offline', reason: 'keepalive', transport: 'mqtt' },
  command: {
    commandId: '019a9c1e-6f02-7b1d-8a57-0c1f7f0b4f11',
    kind: 'property_set',
    identifier: null,
    state: 'succeeded',
    params: { heating: true },
    reply: null,
    errorCode: null,
  },
  lifecycle: { change: 'created' },
  firmware: {
    jobId: '019a9c1e-7a33-7c06-b1b4-51d0a8f5c212',
    campaignId: '019a9c1e-7a10-7f9e-9c7a-b8e0c1d2e313',
    module: 'main',
    state: 'downloading',
    version: '2.1.0',
    percent: 40,
  },
  alarm: {
    change: 'raised',
    alarmId: '019a9c1e-8b44-7d17-9e2c-3f5a7c9d1b20',
    triggerId: '019a9c1e-8b01-7a90-8d33-4c6e8f0a2b31',
    trigger: 'Cold room',
    level: 4,
    active: true,
    acknowledged: false,
    values: [{ property: 'temperature', value: -12.4, ts: 1_795_000_000_000 }],
  },
}
