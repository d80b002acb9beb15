import { scenesContract } from '@thingwright/contracts/scenes.contract'
import type { SceneView } from '@thingwright/contracts/timed-task-schemas'
import { type TimedTaskView, timedTasksContract } from '@thingwright/contracts/timed-tasks.contract'
import { TIMED_TASK_STATES } from '@thingwright/contracts/timed-tasks.words'
import { Type } from 'typebox'
import { same, showTime } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
} from '../../lib/tools/tools.ts'
import { createTimedTask } from './create-task.tool.ts'
import words from './timed-tasks.tools.json' with { type: 'json' }

const PAGE = '/manage/user/center/timedTasks'
const SCENES = `${PAGE}?tab=scenes`
const SHOWN = 20
const closed = { additionalProperties: false } as const
const PartOfName = Type.Optional(Type.String({ maxLength: 64, description: 'Part of a name' }))

const listTimedTasks = defineTool({
  name: 'list_timed_tasks',
  class: 'read',
  permission: 'timed-task:read',
  description: 'Lists timed tasks with state, next and last run, all or those that act on one device.',
  input: Type.Object(
    {
      q: PartOfName,
      device: Type.Optional(Type.String({ maxLength: 64, description: 'Name, number or id of a device' })),
      state: Type.Optional(
        Type.Unsafe<TimedTaskView['state']>({ type: 'string', enum: [...TIMED_TASK_STATES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_timed_tasks,
  async run(t, { q, device, state }) {
    const of = device === undefined ? null : await t.find('device', device)
    const { items, total = 0 } = await t.call(timedTasksContract.list, {
      query: {
        limit: 50,
        total: '1',
        ...(q ? { q } : {}),
        ...(state ? { state } : {}),
        ...(of ? { deviceId: of.id } : {}),
      },
    })
    const mentions = of ? [of] : []
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] }, mentions }
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'state', title: t.say('colState') },
            { key: 'next', title: t.say('colNext') },
            { key: 'last', title: t.say('colLast') },
          ],
          rows: items.slice(0, SHOWN).map(item => ({
            name: { text: item.name, to: `${PAGE}?task=${item.id}` },
            state: { text: t.say(item.state) },
            next: { text: showTime(t, item.nextRunAt) },
            last: { text: showTime(t, item.lastRunAt) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ id, name, state: is, nextRunAt, lastRunAt }) => ({
          id,
          name,
          state: is,
          nextRunAt,
          lastRunAt,
        })),
      },
      mentions,
    }
  },
})

const listScenes = defineTool({
  name: 'list_scenes',
  class: 'read',
  permission: 'timed-task:read',
  description: 'Lists scenes: named lists of commands and delays that run together.',
  input: Type.Object({ q: PartOfName }, closed),
  words: words.list_scenes,
  async run(t, { q }) {
    const { items, total = 0 } = await t.call(scenesContract.list, {
      query: { limit: 50, total: '1', ...(q ? { q } : {}) },
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
            { key: 'steps', title: t.say('colSteps'), numeric: true },
            { key: 'last', title: t.say('colLast') },
          ],
          rows: items.slice(0, SHOWN).map(item => ({
            name: { text: item.name },
            steps: { text: String(item.actions.length) },
            last: { text: showTime(t, item.lastRunAt) },
          })),
          total,
          link: { title: t.say('page'), to: SCENES },
        },
      ],
      data: {
        total,
        items: items
          .slice(0, SHOWN)
          .map(({ id, name, actions, lastRunAt }) => ({ id, name, steps: actions.length, lastRunAt })),
      },
    }
  },
})

/** The scene that was named; asks which one where the name fits none or several. */
async function sceneOf(t: ToolContext, name: string | undefined): Promise<SceneView> {
  const { items } = await t.call(scenesContract.list, { query: { limit: 50, ...(name ? { q: name } : {}) } })
  const exact = items.filter(item => name !== undefined && same(item.name, name))
  const found = exact.length > 0 ? exact : items
  if (found.length === 1 && name !== undefined) return found[0]!
  const offered = items.length > 0 ? items : (await t.call(scenesContract.list, { query: { limit: 50 } })).items
  if (offered.length === 0) throw new ToolProblem(t.say('none'))
  throw new ToolQuestion(
    t.say('which'),
    'scene',
    offered.slice(0, SHOWN).map(item => ({ label: item.name, value: item.name })),
  )
}

const runScene = defineTool({
  name: 'run_scene',
  class: 'control',
  permission: 'timed-task:write',
  description: 'Runs a scene now: its commands go to the devices with the rights of the caller. Always asks before.',
  input: Type.Object(
    { scene: Type.Optional(Type.String({ maxLength: 64, description: 'Name of the scene' })) },
    closed,
  ),
  words: words.run_scene,
  async prepare(t, { scene: name }) {
    const scene = await sceneOf(t, name)
    return {
      calls: [plannedCall(scenesContract.run, { params: { id: scene.id } })],
      effects: [t.say('effect', { name: quoted(scene.name), steps: scene.actions.length }), t.say('noWayBack')],
      changes: [],
      memo: { name: scene.name },
    }
  },
  async finish(t, { memo }) {
    const { name } = memo as { name: string }
    return {
      result: {
        text: t.say('started', { name: quoted(name) }),
        cards: [{ kind: 'links' as const, title: name, items: [{ title: t.say('page'), to: `${PAGE}?tab=runs` }] }],
        data: { name },
      },
    }
  },
})

export const timedTasksTools: readonly Tool[] = [listTimedTasks, listScenes, runScene, createTimedTask]
