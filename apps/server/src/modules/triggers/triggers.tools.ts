import { telemetryContract } from '@thingwright/contracts/telemetry.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { type TriggerView, triggersContract } from '@thingwright/contracts/triggers.contract'
import { TRIGGER_STATES } from '@thingwright/contracts/triggers.words'
import { type Property, parseModel } from '@thingwright/thing-model'
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
import words from './triggers.tools.json' with { type: 'json' }

const PAGE = '/manage/user/center/trigger'
const closed = { additionalProperties: false } as const
const SHOWN = 20
const NUMBERS = ['int32', 'int64', 'float', 'double']
const Device = Type.Optional(Type.String({ maxLength: 64, description: 'Name, number or id of a device' }))
const Limit = (description: string) => Type.Optional(Type.String({ maxLength: 32, description }))

const linkTo = (id: string) => `${PAGE}?trigger=${id}`

const listTriggers = defineTool({
  name: 'list_triggers',
  class: 'read',
  permission: 'trigger:read',
  description: 'Lists triggers with their state, all or those that watch one device.',
  input: Type.Object(
    {
      device: Device,
      state: Type.Optional(
        Type.Unsafe<TriggerView['state']>({ type: 'string', enum: [...TRIGGER_STATES], description: 'State' }),
      ),
    },
    closed,
  ),
  words: words.list_triggers,
  async run(t, { device, state }) {
    const of = device === undefined ? null : await t.find('device', device)
    const { items, total = 0 } = await t.call(triggersContract.list, {
      query: { limit: 50, total: '1', ...(state ? { state } : {}), ...(of ? { deviceId: of.id } : {}) },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] }, mentions: of ? [of] : [] }
    const ill = items.filter(one => one.state === 'error' || one.state === 'paused').length
    return {
      text: t.say('count', { count: total, ill }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'state', title: t.say('colState') },
            { key: 'devices', title: t.say('colDevices'), numeric: true },
            { key: 'alarms', title: t.say('colAlarms'), numeric: true },
            { key: 'last', title: t.say('colLast') },
          ],
          rows: items.slice(0, SHOWN).map(one => ({
            name: { text: one.name, to: linkTo(one.id) },
            state: { text: one.fault ? `${t.say(one.state)} · ${one.fault.message}` : t.say(one.state) },
            devices: { text: String(one.devices) },
            alarms: { text: String(one.openAlarms) },
            last: { text: showTime(t, one.lastRunAt) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items.slice(0, SHOWN).map(({ id, name, kind, state: is, fault, devices, openAlarms, lastRunAt }) => ({
          id,
          name,
          kind,
          state: is,
          fault: fault?.message ?? null,
          devices,
          openAlarms,
          lastRunAt,
        })),
      },
      mentions: of ? [of] : [],
    }
  },
})

/** The property that was named; the only number where none was. */
function propertyOf(
  t: ToolContext,
  properties: readonly Property[],
  text: string | undefined,
  device: string,
): Property {
  const numbers = properties.filter(({ dataType }) => NUMBERS.includes(dataType.type))
  if (numbers.length === 0) throw new ToolProblem(t.say('noNumbers', { device: quoted(device) }))
  const found = text
    ? numbers.filter(one => [one.identifier, one.name, one.ename].some(name => same(name, text)))
    : numbers
  if (found.length === 1) return found[0]!
  throw new ToolQuestion(
    t.say('which', { device: quoted(device) }),
    'property',
    numbers.slice(0, 20).map(one => ({ label: nameOf(t, one), value: one.identifier })),
  )
}

const nameOf = (t: ToolContext, { name, ename, identifier }: Property) =>
  (t.locale === 'en' && ename ? ename : name) || identifier

/** A number, perhaps with its unit behind it. */
const NUMBER = /^\s*([+-]?\d+(?:\.\d+)?)\s*[^\d.]{0,16}$/

function numberOf(t: ToolContext, text: string): number {
  const found = NUMBER.exec(text.normalize('NFKC').replaceAll('\u2212', '-'))
  if (!found) throw new ToolProblem(t.say('badNumber', { text: quoted(text) }))
  return Number(found[1])
}

const createThreshold = defineTool({
  name: 'create_threshold_trigger',
  class: 'write',
  permission: 'trigger:write',
  description:
    'Makes a trigger that raises an alarm when a number of one device is above `high` or below `low`; exactly one of the two.',
  input: Type.Object(
    {
      device: Device,
      property: Type.Optional(Type.String({ maxLength: 64, description: 'Name or identifier of the property' })),
      high: Limit('Alarm above this number'),
      low: Limit('Alarm below this number'),
    },
    closed,
  ),
  words: words.create_threshold_trigger,
  async prepare(t, input) {
    const device = await t.find('device', input.device)
    if ((input.high === undefined) === (input.low === undefined)) throw new ToolProblem(t.say('noLimit'))
    const isAbove = input.high !== undefined
    const limit = numberOf(t, isAbove ? input.high! : input.low!)
    const { model } = await t.call(thingModelsContract.deviceModel, { params: { id: device.id } })
    const property = propertyOf(t, modelProperties(model), input.property, device.name)
    const { items } = await t.call(telemetryContract.latest, { params: { id: device.id } })
    const now = items.find(one => one.identifier === property.identifier)
    const says = { device: device.name, property: nameOf(t, property) }
    const name = t.say(isAbove ? 'nameAbove' : 'nameBelow', says).slice(0, 64)
    return {
      calls: [
        plannedCall(triggersContract.create, {
          body: {
            name,
            scope: { deviceIds: [device.id] },
            kind: isAbove ? 'above' : 'below',
            property: property.identifier,
            ...(isAbove ? { high: limit } : { low: limit }),
            alarm: { level: 3 },
          },
        }),
      ],
      effects: [
        t.say(isAbove ? 'effectAbove' : 'effectBelow', {
          device: quoted(says.device),
          property: quoted(says.property),
          limit,
        }),
        ...(now ? [t.say('now', { value: quoted(String(now.value)) })] : []),
      ],
      changes: [{ field: t.say('field'), before: null, after: name }],
      object: device,
    }
  },
  async finish(t, { results }) {
    const { id, name } = results[0] as TriggerView
    return {
      result: {
        text: t.say('done', { name: quoted(name) }),
        cards: [{ kind: 'links' as const, title: name, items: [{ title: t.say('page'), to: linkTo(id) }] }],
        data: { id, name },
      },
      undo: [plannedCall(triggersContract.remove, { params: { id } })],
    }
  },
})

function modelProperties(model: unknown): Property[] {
  const parsed = parseModel(model)
  return parsed.ok ? parsed.model.properties : []
}

export const triggersTools: readonly Tool[] = [listTriggers, createThreshold]
