import { devicesContract } from '@thingwright/contracts/devices.contract'
import { groupsContract } from '@thingwright/contracts/groups.contract'
import { membersContract } from '@thingwright/contracts/members.contract'
import { productsContract } from '@thingwright/contracts/products.contract'
import { rolesContract } from '@thingwright/contracts/roles.contract'
import { subscriptionsContract } from '@thingwright/contracts/subscriptions.contract'
import type { Locale } from '../../lib/context.ts'
import { isAppError } from '../../lib/errors.ts'
import { type PlannedCall, plannedCall, quoted } from '../../lib/tools/tools.ts'
import words from './assistant-words.json' with { type: 'json' }
import { fill } from './tool-context.ts'

/** An object as it stood when our change was done, as far as people change it: what its undo is compared with. */
export interface Present {
  /** Path of the routes that its undo calls: which kind of thing it is. */
  area: string
  id: string
  /** The undo takes it away, so what stands in it or hangs on it counts as well. */
  removed: boolean
  fields: Record<string, string | number | boolean | null>
}

type Read = (call: PlannedCall) => Promise<unknown>
type Fields = Present['fields']
type View = Record<string, unknown>

interface Area {
  /** The object, or undefined. @throws AppError */
  find(read: Read, id: string): Promise<View | undefined>
  /** Changed by people's own changes. */
  fields: readonly string[]
  /** What others may have put in it. */
  contents?: readonly string[]
}

const byId = (contract: Parameters<typeof plannedCall>[0]): Area['find'] => {
  return async (read, id) => (await read(plannedCall(contract, { params: { id } } as never))) as View
}

const AREAS: Record<string, Area> = {
  devices: { find: byId(devicesContract.get), fields: ['name', 'lifecycle', 'version'] },
  products: {
    find: byId(productsContract.get),
    fields: ['name', 'status', 'modelVersion', 'version'],
    contents: ['deviceCount'],
  },
  groups: { find: findGroup, fields: ['name', 'version'], contents: ['count', 'groups'] },
  roles: { find: byId(rolesContract.get), fields: ['name', 'version'], contents: ['memberCount'] },
  members: { find: byId(membersContract.get), fields: ['state', 'version'] },
  subscriptions: { find: byId(subscriptionsContract.get), fields: ['name', 'state', 'version'] },
}

/** Groups are read as whole trees only. */
async function findGroup(read: Read, id: string): Promise<View | undefined> {
  for (const kind of ['device', 'product'] as const) {
    const { items } = (await read(plannedCall(groupsContract.list, { query: { kind } }))) as {
      items: { id: string; parentId: string | null }[]
    }
    const found = items.find(group => group.id === id)
    if (found) return { ...found, groups: items.filter(group => group.parentId === id).length }
  }
  return undefined
}

const ROUTE = /^(\S+) \/api\/v1\/([^/]+)\//

/** What the calls of an undo would write over, as it is now; null where that cannot be read: nothing is taken back blindly. */
export async function presentOf(read: Read, undo: readonly PlannedCall[]): Promise<Present[] | null> {
  const found = new Map<string, Present>()
  for (const call of undo) {
    const [, method, area = ''] = ROUTE.exec(call.route) ?? []
    const id = call.params?.id
    if (!Object.hasOwn(AREAS, area) || typeof id !== 'string') return null
    const key = `${area} ${id}`
    const removed = method === 'DELETE' || found.get(key)?.removed === true
    const fields = await fieldsOf(read, area, id, removed)
    if (!fields) return null
    found.set(key, { area, id, removed, fields })
  }
  return [...found.values()]
}

async function fieldsOf(read: Read, area: string, id: string, removed: boolean): Promise<Fields | null> {
  const { find, fields, contents = [] } = AREAS[area]!
  try {
    const view = await find(read, id)
    if (!view) return null
    const wanted = removed ? [...fields, ...contents] : fields
    return Object.fromEntries(wanted.map(field => [field, steady(field, view[field])]))
  } catch (error) {
    if (isAppError(error)) return null
    throw error
  }
}

/** A device becomes active by its first message, not by a person. */
function steady(field: string, value: unknown): Fields[string] {
  if (field === 'lifecycle' && value === 'inactive') return 'active'
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
}

/** Why an undo would write over what somebody did since, in words for the person; null: it would not. */
export async function changedSince(
  read: Read,
  before: readonly Present[] | undefined,
  name: string,
  locale: Locale,
): Promise<string | null> {
  const { present } = words
  if (!before || before.length === 0) return present.unknown[locale]
  for (const was of before) {
    const is = await fieldsOf(read, was.area, was.id, was.removed)
    const called = quoted(String(was.fields.name ?? name))
    if (!is) return fill(present.gone[locale], { name: called })
    const differing = Object.keys(was.fields).filter(field => was.fields[field] !== is[field])
    if (differing.length === 0) continue
    const told = differing.length > 1 ? differing.filter(field => field !== 'version') : differing
    const what = told
      .map(field => {
        const noun = present.fields[field as keyof typeof present.fields][locale]
        return `${noun}: ${quoted(String(was.fields[field]))} → ${quoted(String(is[field]))}`
      })
      .join(present.comma[locale])
    return fill(present.changed[locale], { name: called, what })
  }
  return null
}
