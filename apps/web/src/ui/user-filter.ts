import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../lib/permissions.ts'
import { useRead } from '../lib/server-state/use-read.ts'
import type { ListFilter } from './list-page/list-types.ts'

const NONE: readonly ListFilter[] = []

/** A filter of lists by end user, searched at the server; no filter for callers who may not see end users. */
export function useUserFilter(withNone = false): readonly ListFilter[] {
  const { t } = useTranslation('ui')
  const allowed = useMay('endUsers.list')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const { data, isFetching } = useRead(
    'endUsers.list',
    { query: { limit: 50, sort: 'name', ...(q === '' ? {} : { q }) } },
    { enabled: allowed, keep: true, staleTime: 30_000 },
  )
  const items = data?.items
  return useMemo(
    () =>
      allowed
        ? [
            {
              key: 'userId',
              label: t('owner'),
              open: true,
              onSearch: setTyped,
              loading: isFetching,
              options: [
                ...(withNone ? [{ value: 'none', label: t('noOwner') }] : []),
                ...(items ?? []).map(user => ({ value: user.id, label: user.name })),
              ],
              display: () => t('oneOwner'),
            },
          ]
        : NONE,
    [allowed, t, items, isFetching, withNone],
  )
}
