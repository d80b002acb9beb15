import { END_USER_TOOLS } from '@thingwright/contracts/end-user-routes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppError, isAppError } from '../lib/errors.ts'
import fc from '../lib/testing/fast-check.ts'
import { type ChangeTool, type ReadTool, type Tool, ToolProblem, ToolQuestion } from '../lib/tools/tools.ts'
import { TOOLS } from './assistant-tools.ts'
import {
  beyond,
  CUSTOMERS,
  type CustomerHouse,
  customerHouse,
  MARKS,
  PEOPLE,
  type Person,
  PREFIX,
} from './testing/customer-house.ts'
import { type InputSchema, inputOf } from './testing/fuzz-inputs.ts'
import { toolContext } from './testing/tool-caller.ts'

/**
 * The assistant's tools and those of MCP, held against a company, its customer, that one's customer and a customer beside
 * them. Every tool that end users are offered is asked about everybody's things, each with an input that finds them; a
 * tool that is opened without such an input fails here.
 */
const DEVICE = Symbol('id of the device of who is spied on')
const USER = Symbol('user name of who is spied on')

interface Stand {
  input: Record<string, string | number | boolean | typeof DEVICE | typeof USER>
  /** It tells numbers and words of its own, and no name. */
  tellsNoName?: true
}
const device: Stand = { input: { device: DEVICE } }
const nameless = (input: Stand['input'] = {}): Stand => ({ input, tellsNoName: true })

/** What each tool is asked so that it tells something of whose it is. */
const STANDS: Readonly<Record<string, Stand>> = {
  list_alarms: device,
  alarm_statistics: nameless(),
  acknowledge_alarms: device,
  my_sign_ins: nameless(),
  list_pages: { input: { q: PREFIX } },
  read_page: { input: { page: PREFIX } },
  list_commands: device,
  why_command_failed: device,
  set_property: { input: { device: DEVICE, property: 'a', value: '1' } },
  call_service: { input: { device: DEVICE, service: 'restart' } },
  list_contacts: { input: { q: PREFIX } },
  list_api_keys: { input: {} },
  new_api_key: nameless(),
  revoke_api_key: { input: { api_key: PREFIX } },
  api_usage: nameless(),
  create_device: nameless({ name: 'new', product: 'Heater' }),
  rename_device: { input: { device: DEVICE, name: 'new' } },
  describe_device: { input: { device: DEVICE, description: 'new' } },
  tag_device: { input: { device: DEVICE, add: 'new' } },
  enable_device: device,
  disable_device: device,
  list_devices: { input: { text: PREFIX } },
  count_devices: nameless(),
  device_overview: device,
  silent_devices: nameless(),
  invite_end_user: nameless({ address: 'new@example.com' }),
  assign_devices: { input: { devices: DEVICE, user: USER } },
  freeze_end_user: { input: { user: USER } },
  unfreeze_end_user: { input: { user: USER } },
  list_end_users: { input: { q: PREFIX } },
  list_geofences: { input: { q: PREFIX } },
  inbox: nameless(),
  mark_inbox_read: nameless(),
  announcements: nameless(),
  my_rights: nameless(),
  list_tasks: { input: {} },
  list_products: nameless(),
  product_detail: nameless({ product: 'Heater' }),
  device_events: device,
  search_messages: device,
  refused_messages: device,
  latest_values: device,
  telemetry_history: { input: { device: DEVICE, property: 'a' } },
  device_availability: device,
  list_timed_tasks: { input: { q: PREFIX } },
  list_scenes: { input: { q: PREFIX } },
  run_scene: { input: { scene: PREFIX } },
  list_triggers: device,
  create_threshold_trigger: { input: { device: DEVICE, property: 'a', high: '3' } },
}

let house: CustomerHouse
beforeAll(async () => {
  house = await customerHouse()
  for (const who of CUSTOMERS) await house.key(who, ['device:read'])
}, 120_000)
afterAll(() => house.stop())

const tools = () => TOOLS.filter(tool => END_USER_TOOLS.has(tool.name))

/** What a tool says to a person, whatever becomes of it. */
async function said(who: Person, tool: Tool, input: Record<string, unknown>): Promise<{ text: string; code: string }> {
  const t = toolContext(house.container, await house.ctx(who), tool)
  try {
    const answer =
      tool.class === 'read'
        ? await (tool as unknown as ReadTool).run(t, input as never)
        : await (tool as unknown as ChangeTool).prepare(t, input as never)
    return { text: JSON.stringify(answer), code: '' }
  } catch (error) {
    if (error instanceof ToolProblem) return { text: error.text, code: '' }
    if (error instanceof ToolQuestion) return { text: `${error.question} ${JSON.stringify(error.options)}`, code: '' }
    if (!isAppError(error)) throw error
    const { code, params, fields } = error as AppError
    return { text: JSON.stringify({ code, params, fields }), code }
  }
}

const about = (stand: Stand, whom: Person) =>
  Object.fromEntries(
    Object.entries(stand.input).map(([key, value]) => [
      key,
      value === DEVICE ? house.devices[whom].id : value === USER ? whom : value,
    ]),
  )

describe('tools', () => {
  it('that are open to end users are all there, and each is asked here', () => {
    expect([...END_USER_TOOLS].filter(name => !TOOLS.some(tool => tool.name === name))).toEqual([])
    expect([...END_USER_TOOLS].filter(name => !STANDS[name])).toEqual([])
    expect(Object.keys(STANDS).filter(name => !END_USER_TOOLS.has(name))).toEqual([])
  })

  it('are offered to end users by the list, and each of them can be used', async () => {
    for (const who of CUSTOMERS) {
      const headers = { authorization: `Bearer ${house.tokens[who]}` }
      const reply = await house.app.inject({ url: '/api/v1/assistant/tools', headers })
      const names = (reply.json() as { items: { name: string }[] }).items.map(({ name }) => name)
      expect(names.toSorted(), who).toEqual([...END_USER_TOOLS].toSorted())
    }
    const refused: string[] = []
    for (const tool of tools()) {
      const { code, text } = await said('customer', tool, about(STANDS[tool.name]!, 'customer'))
      if (code === 'permission.denied' || code === 'scope.whole_company') refused.push(`${tool.name}: ${text}`)
    }
    expect(refused).toEqual([])
  })

  it('tell each his own part, and nothing of the others, whomever they are asked about', async () => {
    const leaks: string[] = []
    const mute: string[] = []
    for (const tool of tools()) {
      const stand = STANDS[tool.name]!
      for (const who of CUSTOMERS) {
        let own = false
        for (const whom of PEOPLE) {
          const { text } = await said(who, tool, about(stand, whom))
          own ||= text.includes(MARKS[who])
          const strange = beyond(who, text)
          if (strange.length > 0) leaks.push(`${tool.name} tells ${who} of ${strange}: ${text.slice(0, 200)}`)
        }
        if (!own && !stand.tellsNoName) mute.push(`${tool.name} tells ${who} nothing of his own`)
      }
    }
    expect(leaks).toEqual([])
    expect(mute).toEqual([])
  }, 120_000)

  it('tell nothing of the others with any input that their schema takes', async () => {
    const ids = [...Object.values(house.devices).map(({ id }) => id), ...Object.values(house.logins), PREFIX]
    const leaks: string[] = []
    for (const tool of tools()) {
      const inputs = fc.sample(inputOf(tool.input as unknown as InputSchema, ids), { seed: 31, numRuns: 8 })
      for (const input of inputs)
        for (const who of CUSTOMERS) {
          const { text } = await said(who, tool, input as Record<string, unknown>)
          const strange = beyond(who, text)
          if (strange.length > 0) leaks.push(`${tool.name} tells ${who} of ${strange}: ${text.slice(0, 200)}`)
        }
    }
    expect(leaks).toEqual([])
  }, 120_000)
})

describe('a conversation', () => {
  it('of an end user tells of his devices and of no others', async () => {
    for (const who of CUSTOMERS) {
      const reply = await house.app.inject({
        url: `/api/v1/assistant/chat?input=${encodeURIComponent('List the devices')}`,
        headers: { authorization: `Bearer ${house.tokens[who]}`, 'accept-language': 'en' },
      })
      expect(reply.statusCode, reply.body).toBe(200)
      expect(reply.body, who).toContain(MARKS[who])
      expect(beyond(who, reply.body)).toEqual([])
    }
  })
})

describe('MCP', () => {
  it('is for the company’s own people: neither an end user nor a key of one is let in', async () => {
    const call = async (token: string) => {
      const reply = await house.app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { authorization: `Bearer ${token}` },
        payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      })
      return { status: reply.statusCode, code: (reply.json() as { code?: string }).code, text: reply.body }
    }
    for (const who of CUSTOMERS)
      for (const token of [house.tokens[who], await house.key(who, ['device:read'])])
        expect(await call(token), who).toMatchObject({ status: 403, code: 'permission.denied' })
    expect(await call(house.tokens.company)).toMatchObject({
      status: 200,
      text: expect.stringContaining('list_devices'),
    })
  })
})
