import { type CompanyTransferView, companyTransfersContract } from '@thingwright/contracts/company-transfers.contract'
import {
  COMPANY_TRANSFER_STATES,
  type CompanyTransferState,
  NOT_TRANSFERABLE,
} from '@thingwright/contracts/company-transfers.words'
import { devicesContract } from '@thingwright/contracts/devices.contract'
import { Type } from 'typebox'
import { bestOf, listed, showTime } from '../../lib/tools/tool-kit.ts'
import {
  defineTool,
  type Mention,
  plannedCall,
  quoted,
  type Tool,
  type ToolContext,
  ToolProblem,
  ToolQuestion,
} from '../../lib/tools/tools.ts'
import words from './company-transfers.tools.json' with { type: 'json' }

const PAGE = '/manage/company-transfers'
const SHOWN = 20
const SEVERAL = 6
/** What the address of the form holds. */
const OFFERED = 50
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const closed = { additionalProperties: false } as const

const linkOf = ({ id }: { id: string }) => `${PAGE}?transfer=${id}`
const otherOf = (t: ToolContext, row: CompanyTransferView) =>
  row.direction === 'in' ? row.fromName : row.toName || t.say('nobody')

const Company = Type.Optional(
  Type.String({ maxLength: 64, description: 'A part of the other company’s name or of the note' }),
)

/** The transfer that was named: with the other company, or by its note. @throws ToolQuestion, ToolProblem */
async function transferAsked(
  t: ToolContext,
  text: string | undefined,
  state?: CompanyTransferState,
): Promise<CompanyTransferView> {
  const q = text?.trim() ?? ''
  // The answer to the question below.
  if (ID.test(q)) return t.call(companyTransfersContract.get, { params: { id: q } })
  const { items } = await t.call(companyTransfersContract.list, {
    query: {
      limit: SEVERAL + 1,
      ...(q ? { q: q.slice(0, 64) } : {}),
      ...(state ? { state, direction: 'out' } : {}),
    },
  })
  const found = bestOf(items, q, SEVERAL, row => [row.id, row.note, row.toName, row.fromName])
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw new ToolProblem(t.say('none'), { title: t.say('page'), to: PAGE }, true)
  throw new ToolQuestion(
    t.say('which'),
    'company',
    found.map(row => ({
      label: [otherOf(t, row), t.say('devicesCount', { count: row.total }), row.note, showTime(t, row.createdAt)]
        .filter(Boolean)
        .join(' · '),
      value: row.id,
    })),
  )
}

const listTransfers = defineTool({
  name: 'list_company_transfers',
  class: 'read',
  permission: 'company-transfer:read',
  description:
    'Devices that were given or are offered to other companies, and devices that came from them, the newest first, with state and counts. Never a code.',
  input: Type.Object(
    {
      q: Type.Optional(Type.String({ maxLength: 64, description: 'A part of a company’s name or of the note' })),
      direction: Type.Optional(
        Type.Unsafe<'out' | 'in'>({ type: 'string', enum: ['out', 'in'], description: 'out: given; in: taken' }),
      ),
      state: Type.Optional(Type.Unsafe<CompanyTransferState>({ type: 'string', enum: [...COMPANY_TRANSFER_STATES] })),
    },
    closed,
  ),
  words: words.list_company_transfers,
  async run(t, { q, direction, state }) {
    const { items, total = 0 } = await t.call(companyTransfersContract.list, {
      query: {
        limit: SHOWN,
        total: '1',
        ...(q ? { q } : {}),
        ...(direction ? { direction } : {}),
        ...(state ? { state } : {}),
      },
    })
    if (items.length === 0) return { text: t.say('none'), data: { total: 0, items: [] } }
    return {
      text: t.say('count', { count: total }),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'at', title: t.say('colAt') },
            { key: 'direction', title: t.say('colDirection') },
            { key: 'other', title: t.say('colOther') },
            { key: 'devices', title: t.say('colDevices'), numeric: true },
            { key: 'state', title: t.say('colState') },
          ],
          rows: items.map(row => ({
            at: { text: showTime(t, row.createdAt), to: linkOf(row) },
            direction: { text: t.say(row.direction) },
            other: { text: otherOf(t, row) },
            devices: { text: String(row.total) },
            state: { text: t.say(row.state) },
          })),
          total,
          link: { title: t.say('page'), to: PAGE },
        },
      ],
      data: {
        total,
        items: items.map(row => ({
          id: row.id,
          direction: row.direction,
          state: row.state,
          from: row.fromName,
          to: row.toName,
          devices: row.total,
          moved: row.moved,
          failed: row.failed,
        })),
      },
    }
  },
})

const readTransfer = defineTool({
  name: 'read_company_transfer',
  class: 'read',
  permission: 'company-transfer:read',
  description:
    'One transfer of devices between companies: how far it is, what goes along, which devices stayed and why, what was paused.',
  input: Type.Object({ company: Company }, closed),
  words: words.read_company_transfer,
  async run(t, { company }) {
    const row = await transferAsked(t, company)
    const { items } = await t.call(companyTransfersContract.devices, {
      params: { id: row.id },
      query: { limit: SHOWN, ...(row.failed > 0 ? { state: 'failed' } : {}) },
    })
    const facts = [
      t.say(row.direction === 'out' && row.toName === '' ? 'text_open' : `text_${row.direction}`, {
        count: row.total,
        name: quoted(otherOf(t, row)),
        state: t.say(row.state),
      }),
      ...(row.acceptedAt === null ? [] : [t.say('moved', { moved: row.moved, failed: row.failed })]),
      t.say(row.withHistory ? 'history' : 'noHistory'),
      ...(row.state === 'offered' ? [t.say('until', { at: showTime(t, row.expiresAt) })] : []),
      ...(row.paused.length > 0
        ? [
            t.say('paused', {
              names: quoted(
                listed(
                  t,
                  row.paused.map(({ name }) => name),
                ),
              ),
            }),
          ]
        : []),
    ]
    return {
      text: facts.join(' '),
      cards: [
        {
          kind: 'table',
          title: t.say(row.failed > 0 ? 'stayed' : 'devices'),
          columns: [
            { key: 'name', title: t.say('colName') },
            { key: 'no', title: t.say('colNo') },
            { key: 'state', title: t.say('colState') },
          ],
          rows: items.map(item => ({
            name: {
              text: item.name,
              ...(item.deviceId === null ? {} : { to: `/manage/device/DeviceSet/DeviceCenter?id=${item.deviceId}` }),
            },
            no: { text: item.deviceNo },
            state: { text: t.say(`item_${item.state}`) },
          })),
          total: row.failed > 0 ? row.failed : row.total,
          link: { title: t.say('page'), to: linkOf(row) },
        },
      ],
      data: {
        id: row.id,
        direction: row.direction,
        state: row.state,
        from: row.fromName,
        to: row.toName,
        devices: row.total,
        moved: row.moved,
        failed: row.failed,
        paused: row.paused.map(({ kind, name }) => ({ kind, name })),
        items: items.map(({ name, deviceNo, state, reason }) => ({ name, deviceNo, state, reason })),
      },
    }
  },
})

/** Devices by their names, written in one text. */
async function devicesAsked(t: ToolContext, text: string | undefined): Promise<Mention[]> {
  const names = (text ?? '')
    .split(/[,;\uff0c\u3001\uff1b]|\s+and\s+|\u548c/i)
    .map(name => name.trim())
    .filter(Boolean)
  if (names.length < 2) return [await t.find('device', text)]
  const found = await Promise.all(names.slice(0, OFFERED).map(name => t.find('device', name)))
  return found.filter((device, place) => found.findIndex(each => each.id === device.id) === place)
}

const offerDevices = defineTool({
  name: 'offer_devices_to_company',
  class: 'read',
  permission: 'company-transfer:write',
  description:
    'Opens the form that gives devices to another company, with these devices filled in. The code is made there, because it is shown once and asks for a fresh proof of who it is. Offers nothing by itself.',
  input: Type.Object(
    {
      devices: Type.Optional(
        Type.String({ maxLength: 512, description: 'Names, numbers or ids of devices, separated by commas' }),
      ),
    },
    closed,
  ),
  words: words.offer_devices_to_company,
  async run(t, input) {
    const devices = await devicesAsked(t, input.devices)
    const views = await Promise.all(devices.map(({ id }) => t.call(devicesContract.get, { params: { id } })))
    const bound = views.find(({ linkType }) => (NOT_TRANSFERABLE as readonly string[]).includes(linkType))
    if (bound) throw new ToolProblem(t.say('bound', { name: quoted(bound.name) }))
    const to = `${PAGE}?offer=${devices.map(({ id }) => id).join(',')}`
    return {
      text: t.say('text', {
        devices: quoted(
          listed(
            t,
            devices.map(({ name }) => name),
          ),
        ),
      }),
      cards: [{ kind: 'links', title: t.say('form'), items: [{ title: t.say('form'), to }] }],
      data: { done: false, page: to, devices: devices.map(({ id, name }) => ({ id, name })) },
      mentions: devices,
    }
  },
})

const withdrawTransfer = defineTool({
  name: 'withdraw_company_transfer',
  class: 'write',
  permission: 'company-transfer:write',
  description: 'Takes back an offer of devices that no other company accepted yet; its code stops working.',
  input: Type.Object({ company: Company }, closed),
  words: words.withdraw_company_transfer,
  async prepare(t, { company }) {
    const row = await transferAsked(t, company, 'offered')
    return {
      calls: [plannedCall(companyTransfersContract.withdraw, { params: { id: row.id } })],
      effects: [t.say('effect', { count: row.total })],
      changes: [{ field: t.say('field'), before: t.say('offered'), after: t.say('withdrawn') }],
    }
  },
  async finish(t, { results }) {
    const row = results[0] as CompanyTransferView
    return {
      result: { text: t.say('done', { count: row.total }), data: { id: row.id, state: row.state } },
    }
  },
})

export const companyTransfersTools: readonly Tool[] = [listTransfers, readTransfer, offerDevices, withdrawTransfer]
