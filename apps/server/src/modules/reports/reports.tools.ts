import { reportsContract } from '@thingwright/contracts/reports.contract'
import { Type } from 'typebox'
import { momentText } from '../../lib/tools/thing-kit.ts'
import { defineTool, type Tool } from '../../lib/tools/tools.ts'
import words from './reports.tools.json' with { type: 'json' }

const listReports = defineTool({
  name: 'list_reports',
  class: 'read',
  permission: 'report:read',
  description: 'Scheduled reports of the company that are mailed as files, the newest first, with their next run.',
  input: Type.Object(
    { q: Type.Optional(Type.String({ maxLength: 64, description: 'Part of the name' })) },
    { additionalProperties: false },
  ),
  words: words.list_reports,
  async run(t, { q }) {
    const { items } = await t.call(reportsContract.list, { query: q === undefined ? {} : { q } })
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    return {
      text: t.say('count', { count: items.length }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'Name', title: t.say('colName') },
            { key: 'Format', title: t.say('colFormat') },
            { key: 'Next', title: t.say('colNext') },
          ],
          rows: items.map(item => ({
            Name: { text: item.name },
            Format: { text: item.format.toUpperCase() },
            Next: { text: item.fault?.message ?? (item.nextRunAt ? momentText(t, item.nextRunAt) : t.say('paused')) },
          })),
          link: { title: t.say('page'), to: '/stat/reports' },
        },
      ],
      data: { items: items.map(item => ({ name: item.name, state: item.state, nextRunAt: item.nextRunAt })) },
    }
  },
})

export const reportsTools: readonly Tool[] = [listReports]
