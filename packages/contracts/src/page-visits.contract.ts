import { type Static, Type } from 'typebox'
import { PagePast, PagePastQuery, PageValues } from './cloud-pages.contract.ts'
import { COMMAND_STATES } from './commands.words.ts'
import { Id, IdParams, IsoTime, Nullable, Words } from './common.ts'
import { route } from './route.ts'
import { TIMED_TASK_STATES } from './timed-tasks.words.ts'

const closed = { additionalProperties: false } as const
const base = '/api/v1/public/pages'
const tag = 'Visits of pages'
/** Epoch ms, average, least and largest value. */
const Point = Type.Unsafe<[number, number, number, number]>({
  type: 'array',
  items: { type: 'number' },
  minItems: 4,
  maxItems: 4,
})

const Suffix = Type.Object({ suffix: Type.String({ maxLength: 64 }) })
const Devices = Type.Record(Type.String({ maxLength: 32 }), Id, {
  description: 'Devices that the visitor chose, by their roles',
})

/** A page as a visitor gets it. */
export const PageVisit = Type.Object({
  name: Type.String(),
  suffix: Type.String({ description: 'Where the page is now: another one than asked for after a change' }),
  no: Type.Integer(),
  scene: Type.Unknown({ description: 'Without devices and without what this visitor may not see' }),
  ticket: Type.String({ description: 'For the live socket and for actions; good for 12 hours' }),
  control: Words(['none', 'pin', 'free']),
  values: PageValues,
  choices: Type.Array(
    Type.Object({
      role: Type.String(),
      name: Type.String(),
      deviceId: Nullable(Id),
      devices: Type.Array(Type.Object({ id: Id, name: Type.String() })),
    }),
    { description: 'Roles for which the visitor can choose the device' },
  ),
  visitor: Nullable(Type.String({ description: 'Who is signed in' })),
  history: Type.Boolean({ description: 'Whether this visitor may look back at how the page was' }),
})
export type PageVisit = Static<typeof PageVisit>

export const PageActionState = Type.Object({
  id: Id,
  state: Words(COMMAND_STATES),
  message: Nullable(Type.String()),
})
export type PageActionState = Static<typeof PageActionState>

export const pageVisitsContract = {
  visit: route({
    method: 'GET',
    path: `${base}/{suffix}`,
    tag,
    summary: 'A published page: 403 page.passcode_required, page.link_required, page.sign_in_required',
    permission: 'public',
    params: Suffix,
    query: Type.Object({ link: Type.Optional(Type.String({ maxLength: 100 })) }),
    response: PageVisit,
  }),
  enter: route({
    method: 'POST',
    path: `${base}/{suffix}/enter`,
    tag,
    summary: 'The same with a passcode or a link, or for other devices',
    permission: 'public',
    audit: { none: 'it changes nothing but the count of visits' },
    params: Suffix,
    body: Type.Object(
      {
        passcode: Type.Optional(Type.String({ maxLength: 64 })),
        link: Type.Optional(Type.String({ maxLength: 100 })),
        ticket: Type.Optional(Type.String({ maxLength: 4096 })),
        devices: Type.Optional(Devices),
      },
      closed,
    ),
    response: PageVisit,
  }),
  signedIn: route({
    method: 'POST',
    path: '/api/v1/page-visits/{suffix}',
    tag,
    summary: 'The same for who is signed in: pages for the company, its end users or some roles',
    permission: 'signed-in',
    audit: { none: 'it changes nothing but the count of visits' },
    params: Suffix,
    body: Type.Object({ devices: Type.Optional(Devices) }, closed),
    response: PageVisit,
  }),
  values: route({
    method: 'GET',
    path: `${base}/{suffix}/values`,
    tag,
    summary: 'Values now, where no socket can be opened. Header x-page-ticket',
    permission: 'public',
    params: Suffix,
    response: Type.Object({ values: PageValues }),
  }),
  past: route({
    method: 'GET',
    path: '/api/v1/page-visits/{suffix}/past',
    tag,
    summary: 'The page as it was at a moment, of the devices that the caller sees. Header x-page-ticket',
    permission: 'telemetry:read',
    params: Suffix,
    query: PagePastQuery,
    response: PagePast,
  }),
  timedTasks: route({
    method: 'GET',
    path: '/api/v1/page-visits/{suffix}/timed-tasks',
    tag,
    summary: 'Timed tasks of the device of a role that a panel of the page shows. Header x-page-ticket',
    permission: 'timed-task:read',
    params: Suffix,
    query: Type.Object({ role: Type.String({ maxLength: 32 }) }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Id,
          name: Type.String(),
          state: Words(TIMED_TASK_STATES),
          nextRunAt: Nullable(IsoTime),
        }),
      ),
      mayChange: Type.Boolean({ description: 'Whether the caller may let tasks run and pause them' }),
    }),
  }),
  series: route({
    method: 'GET',
    path: `${base}/{suffix}/series`,
    tag,
    summary: 'History of a value that the page binds, at most 31 days. Header x-page-ticket',
    permission: 'public',
    params: Suffix,
    query: Type.Object({
      key: Type.String({ maxLength: 100, description: 'role.point' }),
      hours: Type.Integer({ minimum: 1, maximum: 744 }),
      until: Type.Optional(Type.Integer({ minimum: 0, description: 'Epoch ms; now when absent' })),
    }),
    response: Type.Object({
      points: Type.Array(Point, {
        description: 'Time, average, least and largest value',
      }),
    }),
  }),
  alarms: route({
    method: 'GET',
    path: `${base}/{suffix}/alarms`,
    tag,
    summary: 'Open alarms of the devices of the page, the newest first. Header x-page-ticket',
    permission: 'public',
    params: Suffix,
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          id: Id,
          level: Type.Integer(),
          name: Type.String(),
          device: Type.String(),
          raisedAt: Type.String(),
          acknowledged: Type.Boolean(),
        }),
      ),
    }),
  }),
  act: route({
    method: 'POST',
    path: `${base}/{suffix}/actions`,
    tag,
    summary: 'Does what an element of the published page does; held against the page as it is published',
    permission: 'public',
    audit: 'page.control',
    status: 202,
    params: Suffix,
    body: Type.Object(
      {
        ticket: Type.String({ maxLength: 4096 }),
        node: Type.String({ maxLength: 40 }),
        event: Type.Integer({ minimum: 0, maximum: 100, description: 'Place in the events of the element' }),
        value: Type.Optional(Type.Union([Type.Number(), Type.String({ maxLength: 256 }), Type.Boolean()])),
        pin: Type.Optional(Type.String({ maxLength: 32 })),
      },
      closed,
    ),
    response: PageActionState,
  }),
  action: route({
    method: 'GET',
    path: `${base}/{suffix}/actions/{id}`,
    tag,
    summary: 'How far it is. Header x-page-ticket',
    permission: 'public',
    params: Type.Object({ ...Suffix.properties, ...IdParams.properties }),
    response: PageActionState,
  }),
}
