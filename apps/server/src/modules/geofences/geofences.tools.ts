import { geofencesContract } from '@thingwright/contracts/geofences.contract'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './geofences.tools.json' with { type: 'json' }

const listGeofences = defineTool({
  name: 'list_geofences',
  class: 'read',
  permission: 'device:read',
  description: 'Geofences of the company, the newest first.',
  input: Type.Object(
    { q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the name' })) },
    { additionalProperties: false },
  ),
  words: words.list_geofences,
  async run(t, { q }) {
    const { items } = await t.call(geofencesContract.list, { query: q === undefined ? {} : { q } })
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    return {
      text: t.say('count', { count: items.length }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [{ key: 'Name', title: t.say('colName') }],
          rows: items.map(item => ({ Name: { text: item.name } })),
          link: { title: t.say('page'), to: '/stat/DeviceMap?fences=1' },
        },
      ],
      data: { items: items.map(item => ({ name: item.name })) },
    }
  },
})

export const geofencesTools: readonly Tool[] = [listGeofences]
