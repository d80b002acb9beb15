import { type AlarmView, alarmsContract } from '@thingwright/contracts/alarms.contract'
import { Type } from 'typebox'
import { NOTHING, showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, plannedCall, quoted, type Tool, type ToolContext, ToolProblem } from '../../lib/tools/tools.ts'
import words from './alarms.tools.json' with { type: 'json' }

const PAGE = '/manage/user/center/alarm'
const closed = { additionalProperties: false } as const
const SHOWN = 20
/** Alarms that one approval acknowledges. */
const MOST = 100
const Device = Type.Optional(Type.String({ maxLength: 64, description: 'Name, number or id of a device' }))

async function levelNames(t: ToolContext): Promise<Map<number, string>> {
  const { items } = await t.call(alarmsContract.levels, {})
  return new Map(items.map(({ level, name, ename }) => [level, t.locale === 'zh' ? name : ename]))
}

const valuesText = ({ raiseValues }: AlarmView) =>
  raiseValues
    .map(({ property, value }) => `${property} = ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ')

const factsOf = (alarm: AlarmView) => ({
  id: alarm.id,
  trigger: alarm.triggerName,
  device: alarm.deviceName,
  deviceId: alarm.deviceId,
  level: alarm.level,
  active: alarm.active,
  acknowledged: alarm.acknowledged,
  work: alarm.work,
  assignee: alarm.assigneeName,
  raisedAt: alarm.raisedAt,
  values: valuesText(alarm),
  count: alarm.count,
})

const listAlarms = defineTool({
  name: 'list_alarms',
  class: 'read',
  permission: 'alarm:read',
  description:
    'Lists alarms that are active now, of all devices or of one, the gravest first; `unacknowledged` shows only those that nobody has seen.',
  input: Type.Object(
    { device: Device, unacknowledged: Type.Optional(Type.Boolean({ description: 'Only those nobody acknowledged' })) },
    closed,
  ),
  words: words.list_alarms,
  async run(t, { device, unacknowledged }) {
    const of = device === undefined ? null : await t.find('device', device)
    const { items, total = 0 } = await t.call(alarmsContract.list, {
      query: {
        active: '1',
        sort: '-level',
        limit: 50,
        total: '1',
        ...(unacknowledged ? { acknowledged: '0' as const } : {}),
        ...(of ? { deviceId: of.id } : {}),
      },
    })
    const about = of ? t.say('ofDevice', { device: quoted(of.name) }) : ''
    if (items.length === 0)
      return {
        text: t.say(unacknowledged ? 'noneUnseen' : 'none', { about }),
        data: { total: 0, items: [] },
        mentions: of ? [of] : [],
      }
    const levels = await levelNames(t)
    const unseen = items.filter(alarm => !alarm.acknowledged).length
    return {
      text: t.say('count', { count: total, about, unseen }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'level', title: t.say('colLevel') },
            { key: 'alarm', title: t.say('colAlarm') },
            { key: 'device', title: t.say('colDevice') },
            { key: 'values', title: t.say('colValues') },
            { key: 'raised', title: t.say('colRaised') },
            { key: 'seen', title: t.say('colSeen') },
          ],
          rows: items.slice(0, SHOWN).map(alarm => ({
            level: { text: levels.get(alarm.level) ?? String(alarm.level) },
            alarm: { text: alarm.triggerName, to: `${PAGE}?alarm=${alarm.id}` },
            device: alarm.deviceId
              ? { text: alarm.deviceName ?? NOTHING, to: `/manage/device/DeviceSet/DeviceCenter?id=${alarm.deviceId}` }
              : { text: t.say('scope') },
            values: { text: valuesText(alarm) },
            raised: { text: showTime(t, alarm.raisedAt) },
            seen: { text: alarm.acknowledgedName ?? NOTHING },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: { total, items: items.slice(0, SHOWN).map(factsOf) },
      mentions: of ? [of] : [],
    }
  },
})

const alarmFigures = defineTool({
  name: 'alarm_statistics',
  class: 'read',
  permission: 'alarm:read',
  description:
    'How many alarms there were in a stretch of time, by level, with mean times to acknowledge and to clear, and the devices with most.',
  input: Type.Object(
    {
      period: Type.Optional(Type.String({ maxLength: 64, description: 'Stretch of time; absent: the last 24 hours' })),
    },
    closed,
  ),
  words: words.alarm_statistics,
  async run(t, { period }) {
    const span = t.period(period)
    const found = await t.call(alarmsContract.statistics, { query: { from: span.from, to: span.to, zone: t.timeZone } })
    const minutes = (ms: number | null) =>
      ms === null ? NOTHING : t.say('minutes', { n: Math.round(ms / 6_000) / 10 })
    return {
      text: t.say(found.total === 0 ? 'none' : 'count', {
        label: span.label,
        count: found.total,
        active: found.active,
        mtta: minutes(found.mttaMs),
        mttr: minutes(found.mttrMs),
      }),
      ...(found.topDevices.length === 0
        ? {}
        : {
            cards: [
              {
                kind: 'table' as const,
                title: t.say('topTitle'),
                columns: [
                  { key: 'device', title: t.say('colDevice') },
                  { key: 'total', title: t.say('colTotal'), numeric: true },
                  { key: 'active', title: t.say('colActive'), numeric: true },
                ],
                rows: found.topDevices.map(one => ({
                  device: { text: one.name, to: `/manage/device/DeviceSet/DeviceCenter?id=${one.deviceId}` },
                  total: { text: String(one.total) },
                  active: { text: String(one.active) },
                })),
                total: found.topDevices.length,
                link: { title: t.say('page'), to: PAGE },
              },
            ],
          }),
      data: { ...found, byHour: undefined },
    }
  },
})

const acknowledgeAlarms = defineTool({
  name: 'acknowledge_alarms',
  class: 'write',
  permission: 'alarm:acknowledge',
  description: 'Acknowledges the active alarms that nobody acknowledged, of all devices or of one.',
  input: Type.Object({ device: Device }, closed),
  words: words.acknowledge_alarms,
  async prepare(t, { device }) {
    const of = device === undefined ? null : await t.find('device', device)
    const { items } = await t.call(alarmsContract.list, {
      query: { active: '1', acknowledged: '0', limit: MOST, ...(of ? { deviceId: of.id } : {}) },
    })
    if (items.length === 0) throw new ToolProblem(t.say('nothing'))
    return {
      calls: [plannedCall(alarmsContract.batch, { body: { ids: items.map(({ id }) => id), action: 'ack' } })],
      effects: [
        t.say('effect', { count: items.length }),
        ...items.slice(0, 5).map(one => `${one.triggerName}${one.deviceName ? ` · ${quoted(one.deviceName)}` : ''}`),
      ],
      changes: [{ field: t.say('field'), before: t.say('before'), after: t.say('after') }],
      ...(of ? { object: of } : {}),
    }
  },
  async finish(t, { results }) {
    const { done } = results[0] as { done: number }
    return { result: { text: t.say('done', { count: done }), data: { done } } }
  },
})

export const alarmsTools: readonly Tool[] = [listAlarms, alarmFigures, acknowledgeAlarms]
