import { type TaskState, type TaskView, tasksContract } from '@thingwright/contracts/tasks.contract'
import { transferContract } from '@thingwright/contracts/transfer.contract'
import { Type } from 'typebox'
import { NOTHING, showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, plannedCall, quoted, type Tool, type ToolContext } from '../../lib/tools/tools.ts'
import words from './tasks.tools.json' with { type: 'json' }

const closed = { additionalProperties: false } as const

function progressOf(task: TaskView): string {
  if (task.total === null) return task.done > 0 ? String(task.done) : NOTHING
  return `${task.done} / ${task.total}`
}

const listTasks = defineTool({
  name: 'list_tasks',
  class: 'read',
  permission: 'signed-in',
  description:
    'The latest background tasks (exports, imports, batches, verifications) of the person who asks: state, progress, why one failed.',
  input: Type.Object(
    {
      state: Type.Optional(
        Type.Unsafe<TaskState>({
          type: 'string',
          enum: ['queued', 'running', 'succeeded', 'partial', 'failed', 'cancelled'],
          description: 'State',
        }),
      ),
    },
    closed,
  ),
  words: words.list_tasks,
  async run(t, { state }) {
    const { items } = await t.call(tasksContract.list, { query: { ...(state ? { state } : {}), limit: 15 } })
    if (items.length === 0) return { text: t.say('none'), data: { items: [] } }
    const of = (wanted: TaskState) => items.filter(task => task.state === wanted)
    return {
      text: [
        t.say('count', { count: items.length, running: of('running').length, failed: of('failed').length }),
        ...of('failed')
          .slice(0, 3)
          .map(task =>
            t.say('why', { title: quoted(task.title[t.locale]), reason: quoted(task.error?.message ?? NOTHING) }),
          ),
      ].join('\n'),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: ['Title', 'State', 'Progress', 'Who', 'At'].map(key => ({ key, title: t.say(`col${key}`) })),
          rows: items.map(task => ({
            Title: { text: task.title[t.locale] },
            State: { text: t.say(`s_${task.state}`) },
            Progress: { text: progressOf(task) },
            Who: { text: task.ownerName },
            At: { text: showTime(t, task.createdAt) },
          })),
        },
      ],
      data: { items: items.map(task => factsOf(t, task)) },
    }
  },
})

const factsOf = (t: ToolContext, task: TaskView) => ({
  id: task.id,
  kind: task.kind,
  title: task.title[t.locale],
  state: task.state,
  done: task.done,
  total: task.total,
  failedCount: task.failedCount,
  error: task.error?.message ?? null,
  createdAt: task.createdAt,
})

const startExport = defineTool({
  name: 'start_company_export',
  class: 'write',
  permission: 'company:export',
  description:
    'Packs the company (without secrets, materials and history) into one file as a background task. Asks for a fresh proof of who it is.',
  input: Type.Object({}, closed),
  words: words.start_company_export,
  async prepare(t) {
    return {
      calls: [plannedCall(transferContract.export, { body: { materials: false, passphrase: null, telemetryDays: 0 } })],
      effects: [t.say('effect'), t.say('proof')],
    }
  },
  async finish(t, { results }) {
    return {
      result: {
        text: t.say('done'),
        cards: [
          { kind: 'links', title: t.say('page'), items: [{ title: t.say('page'), to: '/admin/account?tab=transfer' }] },
        ],
        data: { taskId: (results[0] as { taskId: string }).taskId },
      },
    }
  },
})

export const tasksTools: readonly Tool[] = [listTasks, startExport]
