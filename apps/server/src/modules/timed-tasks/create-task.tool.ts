import { devicesContract } from '@thingwright/contracts/devices.contract'
import { thingModelsContract } from '@thingwright/contracts/thing-models.contract'
import { type TimedTaskView, timedTasksContract } from '@thingwright/contracts/timed-tasks.contract'
import { type Property, parseModel } from '@thingwright/thing-model'
import { Type } from 'typebox'
import { same, showTime } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  type Mention,
  plannedCall,
  quoted,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
} from '../../lib/tools/tools.ts'
import { type DayPart, saidClock } from './said-clock.ts'
import words from './timed-tasks.tools.json' with { type: 'json' }

const NUMBERS = ['int32', 'int64', 'float', 'double']
const SHOWN = 20
const said = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

interface Whom {
  of: Mention
  scope: { deviceIds: string[] } | { productIds: string[] }
  /** Devices of a product; null: one device was named. */
  count: number | null
  properties: Property[]
}

/** The device or the product whose devices are meant: "the pumps" may be either. */
async function whomOf(t: ToolContext, device: string | undefined, product: string | undefined): Promise<Whom> {
  if (product === undefined) {
    try {
      const of = await t.find('device', device)
      return { of, scope: { deviceIds: [of.id] }, count: null, properties: await propertiesOf(t, of.id) }
    } catch (error) {
      if (!(error instanceof ToolProblem) || device === undefined) throw error
      return await productOf(t, device).catch(() => {
        throw error
      })
    }
  }
  return await productOf(t, product)
}

async function productOf(t: ToolContext, name: string): Promise<Whom> {
  const of = await t.find('product', name)
  const { items, total = 0 } = await t.call(devicesContract.list, {
    query: { productId: of.id, limit: 1, total: '1' },
  })
  const [first] = items
  if (!first) throw new ToolProblem(t.say('noDevices', { of: quoted(of.name) }))
  return { of, scope: { productIds: [of.id] }, count: total, properties: await propertiesOf(t, first.id) }
}

async function propertiesOf(t: ToolContext, deviceId: string): Promise<Property[]> {
  const { model } = await t.call(thingModelsContract.deviceModel, { params: { id: deviceId } })
  const parsed = parseModel(model)
  return parsed.ok ? parsed.model.properties.filter(({ access }) => access !== 'r') : []
}

const nameOf = (t: ToolContext, property: Property) => (t.locale === 'en' && property.ename) || property.name
const isSwitching = (value: string) => value === 'on' || value === 'off'

/** The property that is meant. @throws ToolQuestion when it may be several */
function propertyOf(t: ToolContext, whom: Whom, name: string | undefined, value: string): Property {
  const of = quoted(whom.of.name)
  const fits = whom.properties.filter(({ dataType }) =>
    isSwitching(value) ? dataType.type === 'bool' : NUMBERS.includes(dataType.type),
  )
  const named = fits.filter(
    one => name !== undefined && [one.identifier, one.name, one.ename].some(each => each && same(each, name)),
  )
  const [found, ...more] = named.length > 0 ? named : name === undefined ? fits : []
  if (found && more.length === 0) return found
  if (fits.length === 0) throw new ToolProblem(t.say('noProperty', { of }))
  throw new ToolQuestion(
    t.say('which', { of }),
    'property',
    fits.slice(0, SHOWN).map(one => ({ label: nameOf(t, one), value: one.identifier })),
  )
}

/** @throws ToolProblem when the property does not take it */
function valueFor(t: ToolContext, property: Property, value: string): boolean | number {
  if (isSwitching(value)) return value === 'on'
  const number = Number(value)
  if (value.trim() !== '' && Number.isFinite(number)) return number
  throw new ToolProblem(t.say('badValue', { property: quoted(nameOf(t, property)), text: quoted(value) }))
}

/** "Turn the pumps off every evening at ten." */
export const createTimedTask = defineTool({
  name: 'create_timed_task',
  class: 'write',
  permission: 'timed-task:write',
  description:
    'Makes a timed task that sets a property of one device, or of all devices of a product, every day at a time. It acts with the rights of the caller. Always asks before.',
  input: Type.Object(
    {
      device: said('Name, number or id of a device'),
      product: said('Name of a product: all of its devices'),
      property: said('Name or identifier of the property; may be absent for on and off where there is one switch'),
      value: said('on, off or a number'),
      time: said('Time of the day, such as 22:00 or 10 pm'),
      part: Type.Optional(
        Type.Unsafe<DayPart>({ type: 'string', enum: ['am', 'pm', 'noon', 'day'], description: 'Part of the day' }),
      ),
    },
    { additionalProperties: false },
  ),
  words: words.create_timed_task,
  async prepare(t, { device, product, property: named, value, time, part }) {
    if (time === undefined) throw new ToolProblem(t.say('noTime'))
    const clock = saidClock(time, part)
    if (clock === null) throw new ToolProblem(t.say('badTime', { text: quoted(time) }))
    if (value === undefined) throw new ToolProblem(t.say('noValue'))
    const whom = await whomOf(t, device, product)
    const property = propertyOf(t, whom, named, value)
    const wanted = valueFor(t, property, value)
    const says = {
      time: clock,
      property: quoted(nameOf(t, property)),
      of: quoted(whom.of.name),
      value: typeof wanted === 'boolean' ? t.say(wanted ? 'on' : 'off') : String(wanted),
    }
    const name = `${whom.of.name} ${t.say('name', { ...says, property: nameOf(t, property) })}`.slice(0, 64)
    return {
      calls: [
        plannedCall(timedTasksContract.create, {
          body: {
            name,
            schedule: { kind: 'daily', times: [clock] },
            actions: [
              {
                kind: 'command',
                scope: whom.scope,
                command: { kind: 'property_set', params: { [property.identifier]: wanted } },
              },
            ],
          },
        }),
      ],
      effects: [t.say('effect', says), ...(whom.count === null ? [] : [t.say('ofProduct', { count: whom.count })])],
      changes: [{ field: t.say('field'), before: null, after: name }],
      object: whom.of,
    }
  },
  async finish(t, { results }) {
    const { id, name, nextRunAt } = results[0] as TimedTaskView
    const to = `/manage/user/center/timedTasks?task=${id}`
    return {
      result: {
        text: t.say('done', { name: quoted(name), next: showTime(t, nextRunAt) }),
        cards: [{ kind: 'links' as const, title: name, items: [{ title: t.say('page'), to }] }],
        data: { id, name, nextRunAt },
      },
      undo: [plannedCall(timedTasksContract.remove, { params: { id } })],
    }
  },
})
