import { type AuditView, auditContract, type UserLogView, userLogContract } from '@thingwright/contracts/audit.contract'
import { Type } from 'typebox'
import { listAt, NOTHING, showTime } from '../../lib/tools/tool-kit.ts'
import {
  type Card,
  defineTool,
  plannedCall,
  quoted,
  type TimeSpan,
  type Tool,
  type ToolContext,
  ToolProblem,
  type ToolResult,
} from '../../lib/tools/tools.ts'
import { actionWord, nameAfterKind, objectTypeOf } from './action-words.ts'
import words from './audit.tools.json' with { type: 'json' }

const LOG_PAGE = '/admin/action'
const USER_PAGE = '/admin/userlog'
const SHOWN = 15
/** As many as are looked through for one sort of action. */
const LOOKED_AT = 100
const closed = { additionalProperties: false } as const

/** What sort of change an action is, by the end of its name. */
const SORTS = {
  create: ['create', 'generate', 'add', 'upload', 'register', 'install', 'copy', 'invite', 'join', 'import'],
  delete: ['remove', 'remove_many', 'leave', 'purge', 'clear_dead_letters', 'revoke', 'remove_token', 'passkey_remove'],
  freeze: ['freeze'],
  invite: ['invite', 'invite_again'],
  rename: ['update', 'passkey_rename'],
  export: ['export', 'download'],
  revoke: ['revoke', 'revoke_certificate', 'invite_withdraw', 'withdraw'],
} as const
type Sort = keyof typeof SORTS | 'change' | 'any'

const Period = Type.Optional(
  Type.String({ maxLength: 100, description: 'When: today, yesterday, last week, past 3 days, 2026-11-01/2026-11-05' }),
)
const Member = Type.Optional(Type.String({ maxLength: 128, description: 'Name or user name of the person' }))

function isOfSort(action: string, sort: Sort | undefined): boolean {
  if (!sort || sort === 'any') return true
  const verb = action.split('.')[1] ?? ''
  if (sort !== 'change') return (SORTS[sort] as readonly string[]).includes(verb)
  return !(SORTS.export as readonly string[]).includes(verb)
}

const boundsOf = (span: TimeSpan | null) =>
  span ? { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() } : {}

const labelOf = (t: ToolContext, span: TimeSpan | null) => (span?.label ? t.say('in', { span: span.label }) : '')

/** A person as the log knows him: by id where he is still there, else by what he was called. */
async function actorAsked(t: ToolContext, text: string): Promise<{ id?: string; q?: string; name: string }> {
  try {
    const found = await t.find('member', text)
    return { id: found.id, name: found.name }
  } catch (error) {
    if (error instanceof ToolProblem && text.trim() !== '') return { q: text.trim(), name: text.trim() }
    throw error
  }
}

const searchLog = defineTool({
  name: 'search_operation_log',
  class: 'read',
  permission: 'audit:read',
  description:
    'Searches the operation log, newest first: who did what, when, to what. Filters: person, object (a name, or a kind such as "device"), sort of action, result (failed, refused), time. Give no period to search all of it.',
  input: Type.Object(
    {
      member: Member,
      object: Type.Optional(Type.String({ maxLength: 128, description: 'Name of what was changed, or its kind' })),
      what: Type.Optional(
        Type.Unsafe<Sort>({
          type: 'string',
          enum: ['any', 'change', ...Object.keys(SORTS)],
          description: 'Sort of action',
        }),
      ),
      result: Type.Optional(
        Type.Unsafe<'ok' | 'refused' | 'failed'>({
          type: 'string',
          enum: ['ok', 'refused', 'failed'],
          description: 'What came of it',
        }),
      ),
      period: Period,
    },
    closed,
  ),
  words: words.search_operation_log,
  async run(t, input) {
    const span = input.period ? t.period(input.period) : null
    const actor = input.member ? await actorAsked(t, input.member) : null
    const type = input.object ? objectTypeOf(input.object) : null
    const named = input.object && !type ? nameAfterKind(input.object) : null
    const sorted = input.what !== undefined && input.what !== 'any'
    const { items: found, total = 0 } = await t.call(auditContract.list, {
      query: {
        ...(actor?.id ? { actorId: actor.id } : {}),
        ...(named || actor?.q ? { q: (named ?? actor?.q)!.slice(0, 128) } : {}),
        ...(type ? { objectType: type } : {}),
        ...(input.result ? { result: input.result } : {}),
        ...boundsOf(span),
        limit: sorted || named ? LOOKED_AT : SHOWN,
        total: '1',
      },
    })
    const fitting = found.filter(line => isOfSort(line.action, input.what) && (!named || speaksOf(line, named)))
    const items = fitting.slice(0, SHOWN)
    const label = labelOf(t, span)
    if (items.length === 0) return { text: t.say('none', { label }), data: { total: 0, items: [] } }
    const count = fitting.length === found.length ? total : fitting.length
    const [last] = items
    return {
      text: [
        t.say('count', { label, count, shown: items.length }),
        t.say('last', {
          at: showTime(t, last!.at),
          who: quoted(last!.actorName),
          what: actionWord(t.locale, last!.action, last!.result),
          object: quoted(last!.objectName ?? NOTHING),
        }),
      ].join('\n'),
      cards: [logTable(t, items, count, named ?? actor?.name ?? '')],
      data: {
        total: count,
        items: items.map(({ at, actorName, action, objectType, objectName, result, ip }) => ({
          at,
          actorName,
          action,
          objectType,
          objectName,
          result,
          ip,
        })),
      },
    }
  },
})

function speaksOf(line: AuditView, name: string): boolean {
  const needle = name.normalize('NFKC').toLowerCase()
  return (line.objectName ?? '').normalize('NFKC').toLowerCase().includes(needle) || line.objectId === name
}

function logTable(t: ToolContext, items: readonly AuditView[], total: number, q: string): Card {
  return {
    kind: 'table',
    title: t.say('title'),
    columns: ['At', 'Who', 'What', 'Object', 'Result'].map(key => ({ key, title: t.say(`col${key}`) })),
    rows: items.map(line => ({
      At: { text: showTime(t, line.at), to: `${LOG_PAGE}?line=${line.id}` },
      Who: { text: line.actorName },
      What: { text: actionWord(t.locale, line.action, line.result) },
      Object: { text: line.objectName ?? NOTHING },
      Result: { text: t.say(line.result) },
    })),
    total,
    link: { title: t.say('page'), to: q ? listAt(LOG_PAGE, q) : LOG_PAGE },
  }
}

async function signIns(
  t: ToolContext,
  route: typeof userLogContract.list | typeof userLogContract.own,
  query: Record<string, unknown>,
  span: TimeSpan | null,
  page: string,
): Promise<ToolResult> {
  const { items, total = 0 } = await t.call(route, {
    query: { kind: 'sign_in', ...query, ...boundsOf(span), limit: SHOWN, total: '1' },
  })
  const label = labelOf(t, span)
  if (items.length === 0) return { text: t.say('none', { label }), data: { total: 0, items: [] } }
  return {
    text: t.say('count', { label, count: total, shown: items.length }),
    cards: [
      {
        kind: 'table',
        title: t.say('title'),
        columns: ['At', 'Who', 'Result', 'Ip', 'Reason'].map(key => ({ key, title: t.say(`col${key}`) })),
        rows: items.map(line => ({
          At: { text: showTime(t, line.at) },
          Who: { text: line.username },
          Result: { text: t.say(line.result) },
          Ip: { text: line.ip ?? NOTHING },
          Reason: { text: reasonOf(line) },
        })),
        total,
        link: { title: t.say('page'), to: page },
      },
    ],
    data: {
      total,
      items: items.map(({ at, username, result, ip, reason }) => ({ at, username, result, ip, reason: reason?.code })),
    },
  }
}

const reasonOf = (line: UserLogView) => line.reason?.message ?? NOTHING

const Result = Type.Optional(
  Type.Unsafe<'ok' | 'refused' | 'failed'>({
    type: 'string',
    enum: ['ok', 'refused', 'failed'],
    description: 'Only sign-ins with this result; failed: wrong password and the like',
  }),
)

const signInHistory = defineTool({
  name: 'sign_in_history',
  class: 'read',
  permission: 'user-log:read',
  description: 'Sign-ins of people, newest first: who, when, from which address, with which result and reason.',
  input: Type.Object({ member: Member, result: Result, period: Period }, closed),
  words: words.sign_in_history,
  async run(t, input) {
    const span = input.period ? t.period(input.period) : null
    const person = input.member ? await actorAsked(t, input.member) : null
    // A wrong password is refused, not failed: people say the one for the other.
    const query = {
      ...(person?.id ? { loginId: person.id } : {}),
      ...(person?.q ? { q: person.q.slice(0, 128) } : {}),
      ...(input.result ? { result: input.result === 'failed' ? 'refused' : input.result } : {}),
    }
    return signIns(t, userLogContract.list, query, span, person ? listAt(USER_PAGE, person.name) : USER_PAGE)
  },
})

const mySignIns = defineTool({
  name: 'my_sign_ins',
  class: 'read',
  permission: 'signed-in',
  description: 'The last sign-ins of the person who asks: when, from which address, with which result.',
  input: Type.Object({ period: Period }, closed),
  words: words.my_sign_ins,
  run: (t, input) =>
    signIns(t, userLogContract.own, {}, input.period ? t.period(input.period) : null, '/admin/security'),
})

const logChain = defineTool({
  name: 'log_chain',
  class: 'read',
  permission: 'audit:read',
  description: 'The chain over the operation log: how many lines, the last hash, how long lines are kept.',
  input: Type.Object({}, closed),
  words: words.log_chain,
  async run(t) {
    const chain = await t.call(auditContract.chain, {})
    const lines = [
      chain.head
        ? t.say('head', { seq: chain.seq, head: chain.head, at: showTime(t, chain.linkedAt) })
        : t.say('empty'),
      ...(chain.pending > 0 ? [t.say('pending', { count: chain.pending })] : []),
      t.say('kept', { days: chain.retentionDays }),
      t.say('how'),
    ]
    return {
      text: lines.join('\n'),
      cards: [{ kind: 'links', title: t.say('page'), items: [{ title: t.say('page'), to: LOG_PAGE }] }],
      data: { lines: chain.seq, head: chain.head, pending: chain.pending, retentionDays: chain.retentionDays },
    }
  },
})

const verifyChain = defineTool({
  name: 'verify_log_chain',
  class: 'write',
  permission: 'audit:read',
  description:
    'Makes every hash of the operation log again as a background task, to find lines that were tampered with.',
  input: Type.Object({}, closed),
  words: words.verify_log_chain,
  async prepare(t) {
    const { seq } = await t.call(auditContract.chain, {})
    return { calls: [plannedCall(auditContract.verify, {})], effects: [t.say('effect', { count: seq })] }
  },
  async finish(t, { results }) {
    return {
      result: {
        text: t.say('done'),
        cards: [{ kind: 'links', title: t.say('page'), items: [{ title: t.say('page'), to: LOG_PAGE }] }],
        data: { taskId: (results[0] as { taskId: string }).taskId },
      },
    }
  },
})

export const auditTools: readonly Tool[] = [searchLog, signInHistory, mySignIns, logChain, verifyChain]
