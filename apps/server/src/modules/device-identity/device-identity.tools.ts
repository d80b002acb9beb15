import { deviceIdentityContract, productIdentityContract } from '@thingwright/contracts/device-identity.contract'
import { Type } from 'typebox'
import { showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, quoted, type Tool } from '../../lib/tools/tools.ts'
import words from './device-identity.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const

const deviceIdentity = defineTool({
  name: 'device_identity',
  class: 'read',
  permission: 'device:read',
  description:
    'What a device signs in with (never a secret): access token, certificates with expiry, its limit of messages and how often it was held back.',
  input: Type.Object(
    { device: Type.Optional(Type.String({ maxLength: 64, description: 'Name, number or id of the device' })) },
    closed,
  ),
  words: words.device_identity,
  async run(t, input) {
    const device = await t.find('device', input.device)
    const identity = await t.call(deviceIdentityContract.get, { params: { id: device.id } })
    const old = identity.previousTokenUntil ? t.say('oldUntil', { at: showTime(t, identity.previousTokenUntil) }) : ''
    const slowed = identity.flow.reduce((sum, day) => sum + day.slowed, 0)
    const refused = identity.flow.reduce((sum, day) => sum + day.refused, 0)
    const { messagesPerSecond } = identity.effective
    const lines = [
      t.say('head', { device: quoted(device.name) }),
      t.say('secret'),
      t.say('token', { state: t.say(identity.hasAccessToken ? 'has' : 'hasNot') + old }),
      ...(identity.certificates.length === 0
        ? [t.say('noCertificate')]
        : identity.certificates.slice(0, 5).map(one =>
            t.say('certificate', {
              serial: quoted(one.serial),
              ca: quoted(one.caName),
              state: t.say(one.state),
              at: showTime(t, one.notAfter),
            }),
          )),
      messagesPerSecond === null ? t.say('noLimit') : t.say('limit', { n: messagesPerSecond }),
      ...(slowed + refused > 0 ? [t.say('flow', { slowed, refused })] : []),
    ]
    const to = `/manage/device/DeviceSet/DeviceSetLink?id=${device.id}`
    return {
      text: lines.join('\n'),
      cards: [{ kind: 'links', title: device.name, items: [{ title: t.say('page'), to }] }],
      data: {
        device: device.name,
        hasAccessToken: identity.hasAccessToken,
        certificates: identity.certificates
          .slice(0, 5)
          .map(one => ({ serial: one.serial, state: one.state, notAfter: one.notAfter })),
        messagesPerSecond,
        topics: identity.effective.topics,
        slowed,
        refused,
      },
      mentions: [device],
    }
  },
})

const waitingRegistrations = defineTool({
  name: 'waiting_registrations',
  class: 'read',
  permission: 'device:read',
  description: 'How devices of a product register themselves, and which wait for a yes.',
  input: Type.Object(
    { product: Type.Optional(Type.String({ maxLength: 64, description: 'Name or key of the product' })) },
    closed,
  ),
  words: words.waiting_registrations,
  async run(t, input) {
    const product = await t.find('product', input.product)
    const params = { id: product.id }
    const { registration } = await t.call(productIdentityContract.get, { params })
    const { items } = await t.call(productIdentityContract.registrations, {
      params,
      query: { state: 'waiting', limit: 20 },
    })
    const to = `/manage/product/ProductSet/ProductSetLink?id=${product.id}`
    const link = { title: t.say('page'), to }
    return {
      text: [
        t.say('mode', { product: quoted(product.name), mode: t.say(`m_${registration}`) }),
        items.length === 0 ? t.say('none') : t.say('count', { count: items.length }),
      ].join('\n'),
      cards:
        items.length === 0
          ? [{ kind: 'links', title: product.name, items: [link] }]
          : [
              {
                kind: 'table',
                title: t.say('title'),
                columns: ['No', 'From', 'First', 'Last', 'Asks'].map(key => ({ key, title: t.say(`col${key}`) })),
                rows: items.map(item => ({
                  No: { text: item.deviceNo },
                  From: { text: item.address },
                  First: { text: showTime(t, item.firstAskedAt) },
                  Last: { text: showTime(t, item.lastAskedAt) },
                  Asks: { text: String(item.asks) },
                })),
                link,
              },
            ],
      data: {
        product: product.name,
        registration,
        waiting: items.map(({ deviceNo, address, asks }) => ({ deviceNo, address, asks })),
      },
      mentions: [product],
    }
  },
})

export const deviceIdentityTools: readonly Tool[] = [deviceIdentity, waitingRegistrations]
