import { type AddressView, addressesContract } from '@thingwright/contracts/addresses.contract'
import { Type } from 'typebox'
import { defineTool, quoted, type Tool } from '../../lib/tools/tools.ts'
import words from './addresses.tools.json' with { type: 'json' }

const PAGE = '/admin/address'

const placeOf = ({ province, city, district, detail }: AddressView) =>
  [...new Set([province, city, district, detail])].filter(Boolean).join(' ')

const listAddresses = defineTool({
  name: 'list_addresses',
  class: 'read',
  permission: 'address:read',
  description: 'Delivery addresses of the company, the default first.',
  input: Type.Object(
    { q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the receiver, phone or address' })) },
    { additionalProperties: false },
  ),
  words: words.list_addresses,
  async run(t, { q }) {
    const all = (await t.call(addressesContract.list, {})).items
    const needle = (q ?? '').normalize('NFKC').trim().toLowerCase()
    const items = all.filter(item =>
      [item.receiver, item.phone, placeOf(item)].some(text => text.normalize('NFKC').toLowerCase().includes(needle)),
    )
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    const standard = items.find(item => item.isDefault)
    return {
      text: [
        t.say('count', { count: items.length }),
        ...(standard ? [t.say('default', { text: quoted(`${standard.receiver}, ${placeOf(standard)}`) })] : []),
      ].join('\n'),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: ['Who', 'Phone', 'Address', 'Default'].map(key => ({ key, title: t.say(`col${key}`) })),
          rows: items.map(item => ({
            Who: { text: item.receiver },
            Phone: { text: item.phone },
            Address: { text: placeOf(item) },
            Default: { text: t.say(item.isDefault ? 'yes' : 'no') },
          })),
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        items: items.map(item => ({ receiver: item.receiver, address: placeOf(item), isDefault: item.isDefault })),
      },
    }
  },
})

export const addressesTools: readonly Tool[] = [listAddresses]
