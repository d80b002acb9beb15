import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import type { EnumField } from '../../ui/schema-form/field.ts'

/** The field for the device that a camera looks at, searched at the server as the person types. */
export function useDeviceField(bound: { id: string; name: string } | null): EnumField {
  const { t } = useTranslation('video')
  const allowed = useMay('devices.list')
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const { data, isFetching } = useRead(
    'devices.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { enabled: allowed, keep: true, staleTime: 10_000 },
  )
  return useMemo(() => {
    const options = (data?.items ?? []).map(({ id, name, deviceNo }) => ({ value: id, label: `${name} · ${deviceNo}` }))
    if (bound && !options.some(({ value }) => value === bound.id))
      options.unshift({ value: bound.id, label: bound.name })
    return {
      key: 'deviceId',
      kind: 'enum',
      label: t('device'),
      options,
      onSearch: setTyped,
      loading: isFetching,
      help: t('deviceHelp'),
      cleared: null,
    }
  }, [t, data, isFetching, bound])
}
