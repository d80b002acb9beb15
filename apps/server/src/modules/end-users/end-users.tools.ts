import { endUsersContract } from '@thingwright/contracts/end-users.contract'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import { endUserChangeTools } from './end-user-changes.tools.ts'
import words from './end-users.tools.json' with { type: 'json' }

const listEndUsers = defineTool({
  name: 'list_end_users',
  class: 'read',
  permission: 'end-user:read',
  description: 'End users of the company, the newest first.',
  input: Type.Object(
    { q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the name' })) },
    { additionalProperties: false },
  ),
  words: words.list_end_users,
  async run(t, { q }) {
    const { items, total } = await t.call(endUsersContract.list, {
      query: { total: '1', ...(q === undefined ? {} : { q }) },
    })
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    return {
      text: t.say('count', { count: total ?? items.length }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'Name', title: t.say('colName') },
            { key: 'Devices', title: t.say('colDevices') },
            { key: 'Alarms', title: t.say('colAlarms') },
            { key: 'State', title: t.say('colState') },
          ],
          rows: items.map(item => ({
            Name: { text: item.name, to: `/manage/user/center/info?id=${item.id}` },
            Devices: { text: `${item.devices.online} / ${item.devices.total}` },
            Alarms: { text: String(item.openAlarms) },
            State: { text: t.say(item.state) },
          })),
          link: { title: t.say('page'), to: '/manage/user' },
        },
      ],
      data: {
        items: items.map(item => ({
          id: item.id,
          name: item.name,
          state: item.state,
          devices: item.devices,
          openAlarms: item.openAlarms,
        })),
      },
    }
  },
})

export const endUsersTools: readonly Tool[] = [listEndUsers, ...endUserChangeTools]
