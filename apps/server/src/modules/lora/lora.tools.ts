import { LORA_GATEWAY_STATES } from '@thingwright/contracts/lora.words'
import { loraDevicesContract } from '@thingwright/contracts/lora-devices.contract'
import { type LoraGatewayView, loraGatewaysContract } from '@thingwright/contracts/lora-gateways.contract'
import { Type } from 'typebox'
import { showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './lora.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const SHOWN = 20
const GATEWAYS = '/ChirpStack/Gateways'
const Part = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

const listGateways = defineTool({
  name: 'list_lora_gateways',
  class: 'read',
  permission: 'lora:read',
  description:
    'LoRaWAN gateways with state and when they were heard last; all, by state, or by a part of a name or id.',
  input: Type.Object(
    {
      q: Part('Part of a name or of a gateway id'),
      state: Type.Optional(
        Type.Unsafe<LoraGatewayView['state']>({
          type: 'string',
          enum: [...LORA_GATEWAY_STATES],
          description: 'State',
        }),
      ),
    },
    closed,
  ),
  words: words.list_lora_gateways,
  async run(t, { q, state }) {
    const { items, total = 0 } = await t.call(loraGatewaysContract.list, {
      query: { limit: 50, total: '1', ...(q ? { q } : {}), ...(state ? { state } : {}) },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'gatewayId', title: t.say('colId') },
            { key: 'state', title: t.say('colState') },
            { key: 'seen', title: t.say('colSeen') },
          ],
          rows: items.slice(0, SHOWN).map(gateway => ({
            name: { text: gateway.name, to: `${GATEWAYS}/edit?id=${gateway.id}` },
            gatewayId: { text: gateway.gatewayId },
            state: { text: t.say(gateway.state) },
            seen: { text: showTime(t, gateway.lastSeenAt) },
          })),
          total,
          link: { title: t.say('page'), to: GATEWAYS },
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ id, name, gatewayId, state: is, lastSeenAt }) => ({
          id,
          name,
          gatewayId,
          state: is,
          lastSeenAt,
        })),
      },
    }
  },
})

const listDevices = defineTool({
  name: 'lora_signal',
  class: 'read',
  permission: 'lora:read',
  description:
    'How LoRaWAN devices are heard: gateway, RSSI, SNR, battery and the last problem; all, or by a part of a name or DevEUI.',
  input: Type.Object({ q: Part('Part of a name or of a DevEUI') }, closed),
  words: words.lora_signal,
  async run(t, { q }) {
    const { items, total = 0 } = await t.call(loraDevicesContract.list, {
      query: { limit: 50, total: '1', ...(q ? { q } : {}) },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    const withUnit = (value: number | null, unit: string) => (value === null ? '–' : `${value} ${unit}`)
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'gateway', title: t.say('colGateway') },
            { key: 'rssi', title: 'RSSI' },
            { key: 'snr', title: 'SNR' },
            { key: 'battery', title: t.say('colBattery') },
            { key: 'seen', title: t.say('colSeen') },
            { key: 'problem', title: t.say('colProblem') },
          ],
          rows: items.slice(0, SHOWN).map(device => ({
            name: device.deviceId
              ? {
                  text: device.deviceName ?? device.name,
                  to: `/manage/device/DeviceSet/DeviceCenter?id=${device.deviceId}&tab=lora`,
                }
              : { text: device.name || device.devEui },
            gateway: { text: device.gatewayName ?? device.gatewayId ?? '–' },
            rssi: { text: withUnit(device.rssi, 'dBm') },
            snr: { text: withUnit(device.snr, 'dB') },
            battery: { text: withUnit(device.battery, '%') },
            seen: { text: showTime(t, device.lastSeenAt) },
            problem: { text: device.problem?.code ?? '–' },
          })),
          total,
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ name, devEui, gatewayId, rssi, snr, battery, margin, problem }) => ({
          name,
          devEui,
          gatewayId,
          rssi,
          snr,
          battery,
          margin,
          problem,
        })),
      },
    }
  },
})

/** What the assistant and MCP can say of LoRaWAN gateways and devices. */
export const LORA_TOOLS: readonly Tool[] = [listGateways, listDevices]
