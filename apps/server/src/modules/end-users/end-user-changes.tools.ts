import { type EndUserView, endUsersContract, type HandoverResult } from '@thingwright/contracts/end-users.contract'
import { Type } from 'typebox'
import { bestOf, listed } from '../../lib/tools/tool-kit.ts'
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
import words from './end-users.tools.json' with { type: 'json' }

const PAGE = '/manage/user'
const SEVERAL = 6
const closed = { additionalProperties: false } as const
const User = Type.Optional(
  Type.String({ maxLength: 128, description: 'Name, user name, phone or mail address of an end user' }),
)

const linkOf = (user: EndUserView) => `${PAGE}/center/info?id=${user.id}`

/** The end user that was named. @throws ToolQuestion when several have the name, ToolProblem when none has */
async function userAsked(t: ToolContext, text: string | undefined, field = 'user'): Promise<EndUserView> {
  const q = text?.trim() ?? ''
  const { items } = await t.call(endUsersContract.list, { query: { limit: 50, ...(q ? { q: q.slice(0, 64) } : {}) } })
  const found = bestOf(items, q, SEVERAL, user => [user.id, user.name, user.username, user.phone, user.email])
  if (found.length === 1 && q !== '') return found[0]!
  if (found.length === 0)
    throw new ToolProblem(t.say('nobody', { name: quoted(q) }), { title: t.say('page'), to: PAGE }, true)
  throw new ToolQuestion(
    t.say('which'),
    field,
    found.map(user => ({ label: `${user.name} (${user.username})`, value: user.username })),
  )
}

/** Devices by their names, written in one text. */
async function devicesAsked(t: ToolContext, text: string | undefined): Promise<Mention[]> {
  const names = (text ?? '')
    .split(/[,;\uff0c\u3001\uff1b]|\s+and\s+|\u548c/i)
    .map(name => name.trim())
    .filter(Boolean)
  if (names.length < 2) return [await t.find('device', text)]
  const found = await Promise.all(names.map(name => t.find('device', name)))
  return found.filter((device, place) => found.findIndex(each => each.id === device.id) === place)
}

/** A user name from an address: letters, digits, dots, hyphens and underscores. */
function usernameFrom(address: string): string {
  const name = (address.split('@')[0] ?? '').replaceAll(/[^A-Za-z0-9._-]/g, '')
  const whole = /^[A-Za-z]/.test(name) ? name : `u${name}`
  return whole.slice(0, 32).padEnd(3, '0')
}

const inviteEndUser = defineTool({
  name: 'invite_end_user',
  class: 'write',
  permission: 'end-user:write',
  description:
    'Makes an end user (a customer of the company) and sends a link that sets the password, by mail or SMS; good for 24 hours.',
  input: Type.Object(
    {
      address: Type.String({ minLength: 3, maxLength: 254, description: 'Mail address or mobile number' }),
      name: Type.Optional(Type.String({ maxLength: 64, description: 'What the customer is called' })),
      username: Type.Optional(Type.String({ maxLength: 32, description: 'User name; absent: made from the address' })),
    },
    closed,
  ),
  words: words.invite_end_user,
  async prepare(t, input) {
    const address = input.address.trim()
    const isMail = /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(address)
    if (!isMail && !/^\+?[0-9][0-9 ()-]{5,24}$/.test(address))
      throw new ToolProblem(t.say('badAddress', { address: quoted(address) }))
    const { items } = await t.call(endUsersContract.list, { query: { q: address.slice(0, 64), limit: 20 } })
    const here = items.find(user => user.email === address || user.phone === address)
    if (here)
      throw new ToolProblem(t.say('here', { name: quoted(here.name) }), { title: t.say('page'), to: linkOf(here) })
    const username = input.username?.trim() || usernameFrom(address)
    const name = input.name?.trim() || username
    return {
      calls: [
        plannedCall(endUsersContract.create, {
          body: {
            name,
            username,
            locale: t.locale,
            invite: true,
            inviteHours: 24,
            ...(isMail ? { email: address } : { phone: address }),
          },
        }),
      ],
      effects: [t.say(isMail ? 'byMail' : 'bySms', { address: quoted(address) }), t.say('rights')],
      changes: [{ field: t.say('user'), before: null, after: `${name} (${username})` }],
    }
  },
  async finish(t, { results }) {
    const user = results[0] as EndUserView
    return {
      result: {
        text: t.say('done', { name: quoted(user.name), username: quoted(user.username) }),
        data: { id: user.id, username: user.username, state: user.state },
      },
      undo: [plannedCall(endUsersContract.remove, { params: { id: user.id } })],
    }
  },
})

const assignDevices = defineTool({
  name: 'assign_devices',
  class: 'write',
  permission: 'end-user:write',
  description: 'Gives devices to an end user, with what was recorded before. Triggers of the owner before are paused.',
  input: Type.Object(
    {
      devices: Type.Optional(
        Type.String({ maxLength: 512, description: 'Names, numbers or ids of devices, separated by commas' }),
      ),
      user: User,
    },
    closed,
  ),
  words: words.assign_devices,
  async prepare(t, input) {
    const user = await userAsked(t, input.user)
    const devices = await devicesAsked(t, input.devices)
    const named = listed(
      t,
      devices.map(device => device.name),
    )
    const deviceIds = devices.map(device => device.id)
    return {
      calls: [plannedCall(endUsersContract.assign, { params: { id: user.id }, body: { deviceIds } })],
      effects: [t.say('effect', { devices: quoted(named), name: quoted(user.name) }), t.say('history')],
      changes: [{ field: t.say('owner'), before: null, after: user.name }],
      memo: { deviceIds, named, name: user.name, id: user.id },
    }
  },
  async finish(t, { results, memo }) {
    const { done, paused } = results[0] as HandoverResult
    const { named, name, id } = memo as { named: string; name: string; id: string }
    const stopped = listed(
      t,
      paused.map(trigger => trigger.name),
    )
    const text = t.say('done', { devices: quoted(named), name: quoted(name) })
    return {
      result: {
        text: stopped ? `${text} ${t.say('paused', { names: quoted(stopped) })}` : text,
        data: { id, done, paused: paused.map(trigger => trigger.name) },
      },
    }
  },
})

/** Freezes or lets in again: they differ in the state that is wanted. */
function stateTool(name: 'freeze_end_user' | 'unfreeze_end_user', description: string, frozen: boolean): Tool {
  const [there, back] = frozen
    ? [endUsersContract.freeze, endUsersContract.unfreeze]
    : [endUsersContract.unfreeze, endUsersContract.freeze]
  return defineTool({
    name,
    class: 'write',
    permission: 'end-user:write',
    description,
    input: Type.Object({ user: User }, closed),
    words: words[name],
    async prepare(t, input) {
      const user = await userAsked(t, input.user)
      if ((user.state === 'frozen') === frozen) throw new ToolProblem(t.say('already', { name: quoted(user.name) }))
      return {
        calls: [plannedCall(there, { params: { id: user.id } })],
        effects: [t.say('effect', { name: quoted(user.name), count: user.subUsers })],
        changes: [{ field: t.say('state'), before: t.say(`state_${user.state}`), after: t.say('after') }],
      }
    },
    async finish(t, { results }) {
      const user = results[0] as EndUserView
      return {
        result: { text: t.say('done', { name: quoted(user.name) }), data: { id: user.id, state: user.state } },
        undo: [plannedCall(back, { params: { id: user.id } })],
      }
    },
  })
}

export const endUserChangeTools: readonly Tool[] = [
  inviteEndUser,
  assignDevices,
  stateTool(
    'freeze_end_user',
    'Freezes an end user: nobody of the account or below it signs in; the devices keep running.',
    true,
  ),
  stateTool('unfreeze_end_user', 'Lets a frozen end user sign in again.', false),
]
