import { accountContract, type UsageView } from '@thingwright/contracts/company.contract'
import { Type } from 'typebox'
import { showBytes } from '../../lib/bytes.ts'
import { listed, showTime } from '../../lib/tools/tool-kit.ts'
import { defineTool, quoted, type Tool } from '../../lib/tools/tools.ts'
import words from './tenants.tools.json' with { type: 'json' }

const PAGE = '/admin/account'
const closed = { additionalProperties: false } as const

const companyInfo = defineTool({
  name: 'company_info',
  class: 'read',
  permission: 'signed-in',
  description:
    'The company: state of its account, until when it is good, verification, time zone, how long data is kept.',
  input: Type.Object({}, closed),
  words: words.company_info,
  async run(t) {
    const state = await t.call(accountContract.state, {})
    // The profile asks for a right that not everybody has; the state does not.
    const company = await t.call(accountContract.get, {}).catch((error: { code?: string }) => {
      if (error.code === 'permission.denied') return null
      throw error
    })
    const left = state.daysLeft
    const lines = [
      t.say('head', { name: quoted(state.name), status: t.say(`s_${state.status}`) }),
      left === null
        ? t.say('forever')
        : t.say(left === 0 ? 'expiresToday' : left > 0 ? 'expires' : 'expired', {
            at: showTime(t, state.expiresAt),
            days: left,
          }),
      ...(state.graceEndsAt && state.status === 'grace'
        ? [t.say('grace', { at: showTime(t, state.graceEndsAt) })]
        : []),
      ...(state.frozenReason ? [t.say('reason', { text: quoted(state.frozenReason) })] : []),
    ]
    if (company) {
      const { telemetryDays, messageLogHours, auditDays, signInDays } = company.retention
      lines.push(
        t.say('verification', { state: t.say(`v_${company.verification}`) }),
        t.say('zone', { zone: quoted(company.timeZone) }),
        t.say('kept', { telemetry: telemetryDays, hours: messageLogHours, audit: auditDays, signIn: signInDays }),
      )
    }
    return {
      text: lines.join('\n'),
      cards: company ? [{ kind: 'links', title: state.name, items: [{ title: t.say('page'), to: PAGE }] }] : [],
      data: {
        name: state.name,
        status: state.status,
        expiresAt: state.expiresAt,
        daysLeft: left,
        ...(company ? { verification: company.verification, retention: company.retention } : {}),
      },
    }
  },
})

const quotaUsage = defineTool({
  name: 'quota_usage',
  class: 'read',
  permission: 'company:read',
  description:
    'What is used of each quota: devices, products, members, room for materials, messages and values of today.',
  input: Type.Object({}, closed),
  words: words.quota_usage,
  async run(t) {
    const { items } = await t.call(accountContract.usage, {})
    const named = (level: UsageView['level']) =>
      items.filter(item => item.level === level).map(item => t.say(`k_${item.kind}`))
    const [full, warning] = [named('full'), named('warning')]
    const amount = (item: UsageView, value: number) => (item.kind === 'mediaBytes' ? showBytes(value) : String(value))
    return {
      text:
        [
          ...(full.length > 0 ? [t.say('full', { what: listed(t, full) })] : []),
          ...(warning.length > 0 ? [t.say('warning', { what: listed(t, warning) })] : []),
        ].join('\n') || t.say('fine'),
      cards: [
        {
          kind: 'table',
          title: t.say('title'),
          columns: [
            { key: 'kind', title: t.say('colKind') },
            { key: 'used', title: t.say('colUsed'), numeric: true },
            { key: 'limit', title: t.say('colLimit'), numeric: true },
            { key: 'percent', title: t.say('colPercent'), numeric: true },
          ],
          rows: items.map(item => ({
            kind: { text: t.say(`k_${item.kind}`) },
            used: { text: amount(item, item.used) },
            limit: { text: item.limit === null ? t.say('unlimited') : amount(item, item.limit) },
            percent: { text: item.limit ? `${Math.round((item.used / item.limit) * 100)}%` : '' },
          })),
          link: { title: t.say('page'), to: `${PAGE}?tab=usage` },
        },
      ],
      data: { items },
    }
  },
})

export const tenantsTools: readonly Tool[] = [companyInfo, quotaUsage]
