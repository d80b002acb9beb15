import { notificationsContract } from '@thingwright/contracts/notifications.contract'
import { announcementsContract } from '@thingwright/contracts/operator.contract'
import { Type } from 'typebox'
import { showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, plannedCall, quoted, type Tool, ToolProblem } from '../../lib/tools/tools.ts'
import words from './notifications.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const
const SHOWN = 10

const inbox = defineTool({
  name: 'inbox',
  class: 'read',
  permission: 'signed-in',
  description: 'Notices of the person who asks, unread ones first: alarms of the platform, ended tasks, security.',
  input: Type.Object({ unread: Type.Optional(Type.Boolean({ description: 'Only unread ones' })) }, closed),
  words: words.inbox,
  async run(t, input) {
    const { count } = await t.call(notificationsContract.unread, {})
    const only = count > 0 || input.unread === true
    const { items } = await t.call(notificationsContract.inbox, {
      query: { limit: SHOWN, ...(only ? { unread: '1' } : {}) },
    })
    if (items.length === 0) return { text: t.say(only ? 'noneUnread' : 'none'), data: { unread: count, items: [] } }
    return {
      text: count > 0 ? t.say('unread', { count: count >= 100 ? '100+' : count }) : t.say('latest'),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: ['At', 'Level', 'Title', 'Text'].map(key => ({ key, title: t.say(`col${key}`) })),
          rows: items.map(notice => ({
            At: { text: showTime(t, notice.createdAt) },
            Level: { text: t.say(notice.level) },
            Title: { text: notice.title[t.locale], ...(notice.link ? { to: notice.link } : {}) },
            Text: { text: notice.text[t.locale].slice(0, 200) },
          })),
        },
      ],
      data: {
        unread: count,
        items: items.map(({ kind, level, title, text, createdAt }) => ({
          kind,
          level,
          title: title[t.locale],
          text: text[t.locale].slice(0, 200),
          createdAt,
        })),
      },
    }
  },
})

const markRead = defineTool({
  name: 'mark_inbox_read',
  class: 'write',
  permission: 'signed-in',
  description: 'Marks every notice of the person who asks as read.',
  input: Type.Object({}, closed),
  words: words.mark_inbox_read,
  async prepare(t) {
    const { count } = await t.call(notificationsContract.unread, {})
    if (count === 0) throw new ToolProblem(t.say('nothing'))
    return {
      calls: [plannedCall(notificationsContract.readAll, {})],
      effects: [t.say('effect', { count: count >= 100 ? '100+' : count })],
    }
  },
  finish: async t => ({ result: { text: t.say('done') } }),
})

const announcements = defineTool({
  name: 'announcements',
  class: 'read',
  permission: 'signed-in',
  description: 'What the platform announces now (maintenance and the like).',
  input: Type.Object({}, closed),
  words: words.announcements,
  async run(t) {
    const { items } = await t.call(announcementsContract.current, {})
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    return {
      text: [
        t.say('count', { count: items.length }),
        ...items.slice(0, 5).map(item =>
          t.say('line', {
            title: quoted(item.title[t.locale]),
            text: quoted(item.text[t.locale]),
            at: showTime(t, item.publishedAt),
          }),
        ),
      ].join('\n'),
      data: {
        items: items
          .slice(0, 5)
          .map(item => ({ level: item.level, title: item.title[t.locale], text: item.text[t.locale] })),
      },
    }
  },
})

export const notificationsTools: readonly Tool[] = [inbox, markRead, announcements]
