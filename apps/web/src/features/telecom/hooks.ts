import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import { call, type Query } from '../../lib/api-client.ts'
import type { FetchPage } from '../../ui/list-page/list-types.ts'
import type { StatusKind } from '../../ui/status-tag.tsx'

export const fetchKeys: FetchPage<TelecomKeyView> = ({ filters, ...input }, signal) =>
  call('telecom.list', { query: { ...input, ...filters } as Query<'telecom.list'>, signal })

export const STATE_KIND: Record<TelecomKeyView['state'], StatusKind> = {
  untested: 'never',
  ok: 'success',
  failed: 'error',
  disabled: 'disabled',
}

/** The platform's own words. */
export const saidText = ({ fault }: Pick<TelecomKeyView, 'fault'>) =>
  fault ? [fault.code, fault.text].filter(Boolean).join(' ') : ''
