import type { TriggerRunView, TriggerView } from '@thingwright/contracts/triggers.contract'
import type { Locale } from '../../lib/context.ts'
import { errorText } from '../../lib/i18n.ts'
import words from './trigger-words.json' with { type: 'json' }
import type { ListedTrigger, RunRow } from './triggers.repo.ts'

const iso = (date: Date | null) => date?.toISOString() ?? null

/** Secrets of webhooks are not in the document; what is shown says whether there is one. */
export function toView(
  row: ListedTrigger,
  more: { locale: Locale; scopeNames: (string | null)[]; fenceNames: Record<string, string>; devices: number },
): TriggerView {
  const { format: _, ...rule } = row.document
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    state: row.state,
    fault:
      row.fault === null
        ? null
        : {
            code: row.fault.code as NonNullable<TriggerView['fault']>['code'],
            message: faultText(more.locale, row.fault.code, row.fault.params),
            params: row.fault.params,
          },
    ...(rule as Pick<TriggerView, 'kind' | 'scope'>),
    scopeNames: more.scopeNames,
    fenceNames: more.fenceNames,
    devices: more.devices,
    openAlarms: row.openAlarms,
    expiresAt: iso(row.expiresAt),
    ownerId: row.ownerId,
    ownerName: row.ownerName,
    lastRunAt: iso(row.lastRunAt),
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/** Why it is not judged, or why something was not done. */
function faultText(locale: Locale, code: string, params: Record<string, unknown> = {}): string {
  const texts: Record<string, string> = words[locale].fault
  const text = texts[code] ?? errorText(locale, code, params)
  return text.replaceAll(/\{(\w+)\}/g, (_, key: string) => String(params[key] ?? ''))
}

export function toRun(row: RunRow, locale: Locale): TriggerRunView {
  const { ruleVersion, at, actions, ...rest } = row
  return {
    ...rest,
    at: at.toISOString(),
    triggerVersion: ruleVersion,
    actions: actions.map(action => ({
      ...action,
      message: action.message === null ? null : faultText(locale, action.message),
    })),
  }
}
