import { timedTasksContract } from '@thingwright/contracts/timed-tasks.contract'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './timed-tasks.tools.json' with { type: 'json' }

const listTimedTasks = defineTool({
  name: 'list_timed_tasks',
  class: 'read',
  permission: 'timed-task:read',
  description: 'Timed tasks of the company, the newest first.',
  input: Type.Object(
    { q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the name' })) },
    { additionalProperties: false },
  ),
  words: words.list_timed_tasks,
  async run(t, { q }) {
    const { items } = await t.call(timedTasksContract.list, { query: q === undefined ? {} : { q } })
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    return {
      text: t.say('count', { count: items.length }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [{ key: 'Name', title: t.say('colName') }],
          rows: items.map(item => ({ Name: { text: item.name } })),
          link: { title: t.say('page'), to: '/manage/user/center/timedTasks' },
        },
      ],
      data: { items: items.map(item => ({ name: item.name })) },
    }
  },
})

export const timedTasksTools: readonly Tool[] = [listTimedTasks]
